import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..");
const FILE = join(ROOT, "THIRD_PARTY_NOTICES");
const VENDORED = "src/http/docs/vendor";
const RULE = `\n${"-".repeat(80)}\n\n`;

/** The licences of all packages that the npm package, the executable and the image contain. */
export function thirdPartyNotices(): string {
  const { dependencies, bundleDependencies } = packageAt(".");
  const names = Object.keys(dependencies ?? {}).filter((name) => !bundleDependencies?.includes(name));
  const notices = names.map((name) => noticeOf(name, [join("node_modules", name, "LICENSE")]));
  const files = ["NOTICE", "LICENSE", "swagger-ui-bundle.js.LICENSE.txt"].map((name) => join(VENDORED, name));
  const head = "Forebay contains these packages. Their licences follow.\n";
  return [head, ...notices, noticeOf("swagger-ui-dist", files)].join(RULE);
}

interface Package {
  readonly version: string;
  readonly license: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly bundleDependencies?: readonly string[];
}

function noticeOf(name: string, files: readonly string[]): string {
  const { version, license, dependencies = {} } = packageAt(join("node_modules", name));
  const shipped = Object.keys(dependencies);
  // Its only dependency reports installations, and stays out.
  const unknown = shipped.filter((one) => one !== "@scarf/scarf");
  if (unknown.length > 0) throw new Error(`${name} brings ${unknown.join(", ")}: add the licences`);
  const texts = files.filter((path) => existsSync(join(ROOT, path))).map(read);
  if (texts.length === 0 && name !== "bun") throw new Error(`${name} has no licence text`);
  const link = name === "bun" ? ["https://bun.com/docs/project/licensing has the texts.\n"] : [];
  return [`${name} ${version} (${license})\n`, ...texts.map((text) => `${text.trim()}\n`), ...link].join(
    "\n",
  );
}

function packageAt(directory: string): Package {
  return JSON.parse(read(join(directory, "package.json")));
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

if (import.meta.main) writeFileSync(FILE, thirdPartyNotices());
