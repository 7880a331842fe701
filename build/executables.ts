import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { embedConsole } from "./embed-console.ts";
import { isPlatform, type Platform, PLATFORMS, runtimeFor } from "./runtimes.ts";

// `npm run build`: an executable for each platform that is named, or else for Linux on x64 and on arm64.
const ROOT = join(import.meta.dir, "..");
const DIST = join(ROOT, "dist");
const DEFAULT: readonly Platform[] = ["linux-x64", "linux-arm64"];

const names = process.argv.slice(2);
const unknown = names.find((name) => !isPlatform(name));
if (unknown !== undefined) {
  console.error(`There is no platform ${unknown}. Choose among ${PLATFORMS.join(", ")}.`);
  process.exit(2);
}
const platforms = names.length === 0 ? DEFAULT : names.filter(isPlatform);

rmSync(DIST, { recursive: true, force: true });
mkdirSync(DIST);
const sums: string[] = [];
for (const platform of platforms) {
  const name = `forebay-${platform}`;
  await compile(platform, join(DIST, name));
  const bytes = readFileSync(join(DIST, name));
  const sum = createHash("sha256").update(bytes).digest("hex");
  sums.push(`${sum}  ${name}\n`);
  console.log(`dist/${name}  ${(bytes.length / 1e6).toFixed(1)} MB  sha256 ${sum}`);
}
writeFileSync(join(DIST, "SHA256SUMS"), sums.join(""));

async function compile(platform: Platform, outfile: string): Promise<void> {
  await Bun.build({
    entrypoints: [join(ROOT, "src/cli/main.ts"), join(ROOT, "src/store/sqlite/sqlite-checkpointer.ts")],
    root: ROOT,
    // Side by side, as the checkpointer is looked for.
    naming: { entry: "[name].[ext]" },
    target: "bun",
    // Commands are loaded when they are called.
    splitting: true,
    // Names of functions and classes stand in errors and stacks.
    minify: { syntax: true, whitespace: true, identifiers: false },
    plugins: [await embedConsole()],
    compile: {
      target: `bun-${platform}`,
      executablePath: runtimeFor(platform, join(ROOT, ".cache/runtimes")),
      outfile,
      // A handler's own settings count; those of its tools, which could load code into a server, do not.
      autoloadBunfig: false,
      autoloadTsconfig: true,
      autoloadPackageJson: true,
      execArgv: ["--no-install"],
    },
  });
}
