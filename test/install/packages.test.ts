import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { FreshClone } from "../support/fresh-clone.ts";
import { Installation } from "../support/installation.ts";
import { NODE_VERSIONS, NPM_10, nodeProgram } from "../support/node-versions.ts";
import { pythonProgram } from "../support/python.ts";
import { expectServing, PYTHON, TYPESCRIPT } from "./trial.ts";

const ROOT = join(import.meta.dir, "../..");
const [NODE_20, NODE_22, NODE_24] = NODE_VERSIONS;
const NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];

const room = mkdtempSync(join(tmpdir(), "forebay-install-"));
const prefix = join(room, "prefix");
const npx = ["npx", "forebay"];
const installations: Installation[] = [];

function project(name: string, version: string, command = npx, env: NodeJS.ProcessEnv = {}): Installation {
  const node = nodeProgram(version);
  const made = new Installation({ directory: join(room, name), node, command, env });
  installations.push(made);
  return made;
}

let clone: FreshClone;
let tarballs: { readonly forebay: string; readonly worker: string };
let changes: Record<string, string>;
const spaced = project("a path with spaces", NODE_20);
const production = project("production", NODE_22, npx, { NODE_ENV: "production" });
const everywhere = project("global", NODE_24, [join(prefix, "bin/forebay")]);

beforeAll(async () => {
  chmodSync(room, 0o755);
  clone = await FreshClone.at(join(room, "clone"));
  await clone.run(["npm", "ci", "--prefer-offline", "--no-audit", "--no-fund"]);
  changes = { "npm ci": await clone.changes() };
  tarballs = await clone.pack(join(room, "tarballs"));
  await Promise.all([
    spaced.install(tarballs.forebay),
    production.install("--ignore-scripts", tarballs.forebay),
    everywhere.install("--global", "--prefix", prefix, tarballs.forebay),
  ]);
}, 300_000);
afterAll(async () => {
  await Promise.all(installations.map((installation) => installation.stop()));
  rmSync(room, { recursive: true });
});

describe("a fresh clone", () => {
  test("stays clean after npm ci, npm install and a global install, also with npm 10", async () => {
    const commands = {
      "npm pack": ["true"],
      "npm install": ["npm", "install"],
      "npm 10 install": ["node", NPM_10, "install"],
      "npm install --global .": ["npm", "install", "--global", "--prefix", join(room, "linked"), "."],
    };
    for (const [name, words] of Object.entries(commands)) {
      await clone.run(words);
      changes[name] = await clone.changes();
    }
    expect(Object.values(changes)).toEqual(Object.values(changes).map(() => ""));
    expect(Object.keys(changes).length).toBe(5);
  });

  test("npm pack packs all that runs, and no tests or benchmarks", async () => {
    const list = async (tarball: string): Promise<string[]> =>
      (await clone.run(["tar", "-tzf", tarball])).trim().split("\n");
    const parts = (names: readonly string[]): string[] =>
      [...new Set(names.map((name) => name.split("/")[1] ?? ""))].toSorted();
    const forebay = await list(tarballs.forebay);
    const worker = await list(tarballs.worker);
    const texts = ["LICENSE", "README.md"];
    expect(parts(forebay)).toEqual(
      [...texts, "THIRD_PARTY_NOTICES", "bin", "console", "examples", "node_modules", "package.json"].concat(
        "src",
        "tsconfig.handlers.json",
      ),
    );
    expect(parts(worker)).toEqual([...texts, "dist", "package.json", "src"]);
    expect([...forebay, ...worker].filter((name) => /\.test\.|\/bench\/|\/test\//.test(name))).toEqual([]);
    const bundled = forebay
      .filter((name) => name.startsWith("package/node_modules/"))
      .map((name) => name.replace("node_modules/@forebay/worker/", ""));
    expect(bundled.toSorted()).toEqual(worker.toSorted());
    for (const text of texts) expect(worker).toContain(`package/${text}`);
    expect(await Bun.file(join(ROOT, "sdk/LICENSE")).text()).toBe(
      await Bun.file(join(ROOT, "LICENSE")).text(),
    );
  });

  test("the publish script names all that is wrong, and its dry run packs both packages", async () => {
    const { version } = await Bun.file(join(clone.directory, "package.json")).json();
    await Bun.write(join(clone.directory, "CHANGELOG.md"), "# Changelog\n\n## Next\n");
    const refused = await clone.try([".ci/publish", "--dry-run"]);
    expect([refused.status, refused.stdout]).toEqual([2, ""]);
    expect(refused.stderr.trim().split("\n")).toEqual([
      `The first heading of CHANGELOG.md is not "## ${version}". Describe this version there.`,
      "The git tree is not clean. Commit or remove: M CHANGELOG.md",
    ]);
    await Bun.write(join(clone.directory, "CHANGELOG.md"), `# Changelog\n\n## ${version}\n`);
    await clone.commit("Describe the version");
    const published = await clone.run([".ci/publish", "--dry-run"]);
    for (const name of ["@forebay/worker", "forebay"]) expect(published).toContain(`+ ${name}@${version}\n`);
    const untagged = await clone.try(["node", ".ci/check-release.mjs"]);
    expect(untagged.stderr).toContain(`This commit has no tag v${version}. Run: git tag v${version}`);
  }, 120_000);
});

describe.each([
  [`Node ${NODE_20}, in a path with spaces`, spaced],
  [`Node ${NODE_22}, without install scripts, as npm 12, with NODE_ENV=production`, production],
  [`Node ${NODE_24}, installed with --global`, everywhere],
])("from the tarball alone, on %s", (_, installation) => {
  test.concurrent("forebay serve answers a job and serves the console", async () => {
    await installation.serve("--data", "data");
    await expectServing(installation);
    await installation.stop();
  });

  test.concurrent("forebay dev runs a handler in TypeScript that imports @forebay/worker", async () => {
    installation.write("handler.ts", TYPESCRIPT);
    const { stdout, stderr } = await installation.forebay(["dev", "handler.ts", "--input", '{"n": 21}']);
    expect([stdout, stderr]).toEqual(['{"double":42,"client":"function"}\n', expect.any(String)]);
  });

  test.concurrent("forebay dev runs a handler in Python", async () => {
    installation.write("handler.py", PYTHON);
    const env = { VIRTUAL_ENV: dirname(dirname(pythonProgram())) };
    const { stdout, stderr } = await installation.forebay(["dev", "handler.py", "--input", '{"n": 21}'], env);
    expect([stdout, stderr]).toEqual(['{"double":42}\n', expect.any(String)]);
  });
});

describe("a project with Forebay from its tarball", () => {
  const tsc = join(ROOT, "node_modules/.bin/tsc");
  const typed = `${TYPESCRIPT}
// @ts-expect-error: the types are there.
const wrong: serverless.Job = 1;
console.log(wrong);
`;

  test("has the types of @forebay/worker by extending forebay/tsconfig.json", async () => {
    spaced.write("typed.mts", typed);
    spaced.write("tsconfig.json", '{"extends": "forebay/tsconfig.json", "include": ["typed.mts"]}');
    await spaced.exec([tsc, "-p", "."]);
    const { stdout } = await spaced.forebay(["dev", "handler.ts", "--input", '{"n": 4}']);
    expect(stdout).toBe('{"double":8,"client":"function"}\n');
  });

  test("has them without that where @forebay/worker is installed from its own tarball", async () => {
    const own = project("with the worker library", NODE_20);
    await own.install(tarballs.worker);
    own.write("typed.mts", typed);
    await own.exec([tsc, "--noEmit", "--strict", "--module", "nodenext", "typed.mts"]);
  });

  test("has a server that runs its handler as a worker", async () => {
    const handler = production.write("managed.ts", TYPESCRIPT);
    const forebay = join(production.directory, "node_modules/.bin/forebay");
    const commands = JSON.stringify({ double: [forebay, "worker", "run", handler] });
    await production.serve("--data", "managed", "--commands", production.write("commands.json", commands));
    const { json } = await production.post("/v1/templates", { name: "double", imageName: "process/double" });
    const endpoint = await production.endpoint({ templateId: json.id });
    const job = await production.post(`/v2/${endpoint}/runsync`, { input: { n: 21 } });
    expect(job.json).toMatchObject({ status: "COMPLETED", output: { double: 42 } });
    await production.stop();
  });

  test("runs where only another user may write", async () => {
    // The Node of the tests may lie where nobody else may look.
    const node = join(room, "bin/node");
    mkdirSync(dirname(node));
    cpSync(nodeProgram(NODE_24), node);
    const asNobody = process.getuid?.() === 0 ? NOBODY : [];
    const directory = join(room, "of nobody");
    const command = [...asNobody, join(prefix, "bin/forebay")];
    const other = new Installation({ directory, node, command, env: { HOME: directory } });
    installations.push(other);
    await other.serve("--data", "data");
    await expectServing(other);
    await other.stop();
  });

  test("runs from a store of links, as pnpm lays it out", async () => {
    const linked = project("linked", NODE_20, ["node_modules/forebay/bin/forebay.mjs"]);
    const store = join(linked.directory, "node_modules/.pnpm/forebay/node_modules");
    const flat = join(spaced.directory, "node_modules");
    cpSync(join(flat, "forebay"), join(store, "forebay"), { recursive: true });
    for (const name of ["bun", "marked", "preact", "uplot", "zod"]) {
      symlinkSync(realpathSync(join(flat, name)), join(store, name));
    }
    symlinkSync(join(store, "forebay"), join(linked.directory, "node_modules/forebay"));
    await linked.serve("--data", "data");
    await expectServing(linked);
    await linked.stop();
  });
});
