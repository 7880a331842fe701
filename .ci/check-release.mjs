// Says what stands in the way of publishing this commit, one line each, and exits with code 2. npm runs it before
// each `npm publish`. A dry run needs neither tag nor address.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const isDryRun = process.argv.includes("--dry-run") || process.env.npm_config_dry_run === "true";

const read = (path) => readFileSync(`${ROOT}/${path}`, "utf8");
const git = (...args) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();

const forebay = JSON.parse(read("package.json"));
const worker = JSON.parse(read("sdk/package.json"));
const lock = JSON.parse(read("package-lock.json"));
const { version } = forebay;

const versions = {
  "sdk/package.json": worker.version,
  "package.json, dependencies": forebay.dependencies["@forebay/worker"],
  "package-lock.json": lock.version,
  "package-lock.json, sdk": lock.packages.sdk.version,
};
const faults = Object.entries(versions)
  .filter(([, other]) => other !== version)
  .map(([place, other]) => `${place} says version ${other}, and package.json ${version}. Make them equal.`);

const headings = read("CHANGELOG.md").match(/^## .*$/gm) ?? [];
if (!headings[0]?.startsWith(`## ${version}`)) {
  faults.push(`The first heading of CHANGELOG.md is not "## ${version}". Describe this version there.`);
}
const changed = git("status", "--porcelain");
if (changed !== "")
  faults.push(`The git tree is not clean. Commit or remove: ${changed.split("\n").join(", ")}`);
if (!isDryRun) {
  if (!git("tag", "--points-at", "HEAD").split("\n").includes(`v${version}`)) {
    faults.push(`This commit has no tag v${version}. Run: git tag v${version}`);
  }
  for (const { name, repository } of [forebay, worker]) {
    if (repository?.url) continue;
    faults.push(
      `The package.json of ${name} has no repository.url. Provenance needs the address of the repository.`,
    );
  }
}
for (const fault of faults) process.stderr.write(`${fault}\n`);
if (faults.length > 0) process.exit(2);
