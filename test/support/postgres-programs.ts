import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Where Debian puts each version. */
const DEBIAN = "/usr/lib/postgresql";

/** The directory of initdb, pg_ctl and postgres: of the newest version that is installed. */
export function postgresPrograms(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  const newestFirst = versions.toSorted((a, b) => Number(b) - Number(a));
  const found = newestFirst.map((version) => join(DEBIAN, version, "bin"));
  const { status, stdout } = spawnSync("pg_config", ["--bindir"], { encoding: "utf8" });
  if (status === 0) found.push(stdout.trim());
  return found.find((directory) => existsSync(join(directory, "initdb")));
}

/**
 * PostgreSQL refuses to run as root: then what runs it is the user that its package made. Empty for any other
 * user.
 */
export function asPostgresUser(): string[] {
  return process.getuid?.() === 0 ? ["runuser", "-u", "postgres", "--"] : [];
}
