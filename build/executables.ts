import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtCommit } from "./built-commit.ts";
import { embedConsole } from "./embed-console.ts";
import { isPlatform, type Platform, PLATFORMS, runtimeFor } from "./runtimes.ts";

// `npm run build`: an executable for each platform that is named. Without names: Linux on x64 and on arm64.
const ROOT = join(import.meta.dir, "..");
const DIST = join(ROOT, "dist");
/** The source maps stay here, because each executable has its own inside. */
const UNFINISHED = join(DIST, "unfinished");
/** Below `src`. The store runs them as threads of their own. */
const THREADS = ["store/sqlite/sqlite-checkpointer.ts", "store/sqlite/sqlite-backup-thread.ts"];
const DEFAULT: readonly Platform[] = ["linux-x64", "linux-arm64"];

const names = process.argv.slice(2);
const unknown = names.find((name) => !isPlatform(name));
if (unknown !== undefined) {
  console.error(`There is no platform ${unknown}. Choose among ${PLATFORMS.join(", ")}.`);
  process.exit(2);
}
const platforms = names.length === 0 ? DEFAULT : names.filter(isPlatform);

const commit = builtCommit(ROOT);
rmSync(DIST, { recursive: true, force: true });
mkdirSync(UNFINISHED, { recursive: true });
const sums: string[] = [];
for (const platform of platforms) {
  const name = `forebay-${platform}`;
  const built = join(UNFINISHED, name);
  await compile(platform, built);
  const bytes = readFileSync(built);
  renameSync(built, join(DIST, name));
  const sum = createHash("sha256").update(bytes).digest("hex");
  sums.push(`${sum}  ${name}\n`);
  console.log(`dist/${name}  ${(bytes.length / 1e6).toFixed(1)} MB  sha256 ${sum}`);
}
rmSync(UNFINISHED, { recursive: true });
writeFileSync(join(DIST, "SHA256SUMS"), sums.join(""));

async function compile(platform: Platform, outfile: string): Promise<void> {
  await Bun.build({
    entrypoints: ["cli/main.ts", ...THREADS].map((path) => join(ROOT, "src", path)),
    root: ROOT,
    // All in one directory, where main.ts looks for the threads.
    naming: { entry: "[name].[ext]" },
    target: "bun",
    format: "esm",
    // A command is loaded when it is called.
    splitting: true,
    // Halves the time of a start.
    bytecode: true,
    // Errors show the names of functions and classes, and with the map their lines in the sources.
    minify: { syntax: true, whitespace: true, identifiers: false },
    sourcemap: "linked",
    define: { BUILT_COMMIT: JSON.stringify(commit) },
    plugins: [await embedConsole()],
    compile: {
      target: `bun-${platform}`,
      executablePath: runtimeFor(platform, join(ROOT, ".cache/runtimes")),
      outfile,
      // Handlers need the settings of their project. A bunfig.toml could load code into a server.
      autoloadTsconfig: true,
      autoloadPackageJson: true,
      autoloadBunfig: false,
      execArgv: ["--no-install"],
    },
  });
}
