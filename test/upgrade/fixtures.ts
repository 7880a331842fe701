import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import { asPostgresUser, postgresPrograms } from "../support/postgres-programs.ts";
import type { Filled } from "./fill-server.ts";

const FIXTURES = join(import.meta.dir, "fixtures");

/** With which the secrets of each fixture are encrypted. */
export const SECRET_KEY = "the key of the fixtures";

export type Kind = "directory" | "postgres";

/** What the servers of the fixtures can run. */
export const COMMANDS = { idle: ["sleep", "600"] };

/** What a version left behind, and what its clients knew. */
export interface Fixture {
  readonly version: string;
  readonly filled: Readonly<Record<Kind, Filled>>;
}

/** Those of every version, the oldest first. */
export function fixtures(): Fixture[] {
  return readdirSync(FIXTURES)
    .toSorted((one, other) => one.localeCompare(other, "en", { numeric: true }))
    .map((version) => ({ version, filled: JSON.parse(read(version, "filled.json.br").toString()) }));
}

/** Lays the data directory of the fixture at `directory`, which is new. */
export function layDirectory({ version }: Fixture, directory: string): void {
  rmSync(directory, { recursive: true, force: true });
  tar(["-x", "-C", join(directory, "..")], read(version, "data.tar.br"));
  // It was written at another place of another machine.
  const identity = join(directory, "identity");
  const { ino, birthtimeNs } = statSync(directory, { bigint: true });
  const known = statSync(identity, { throwIfNoEntry: false });
  if (known === undefined) return;
  const place = { inode: String(ino), bornAt: String(birthtimeNs) };
  writeFileSync(identity, JSON.stringify({ ...JSON.parse(readFileSync(identity, "utf8")), ...place }));
}

/** The statements that make the fixture's data in an empty database. */
export function statementsOf({ version }: Fixture): string {
  return read(version, "postgres.sql.br").toString();
}

/** Lays the server of the version, as one file, into a directory; it works on PostgreSQL alone. */
export function layServer(version: string, directory: string): string {
  const main = join(directory, `forebay-${version}.js`);
  writeFileSync(main, read(version, "server.js.br"));
  return main;
}

/** Keeps a file of the version. */
export function keep(version: string, file: string, content: Buffer | string): void {
  writeFileSync(join(FIXTURES, version, `${file}.br`), brotliCompressSync(content));
}

export function packDirectory(directory: string): Buffer {
  // The boot time tells of the machine on which the fixture was made.
  return tar(["-c", "--exclude=boot-time", "-C", join(directory, ".."), "data"]);
}

/** What is in a database, as statements. */
export function dump(url: string): string {
  const programs = postgresPrograms();
  if (programs === undefined) throw new Error("PostgreSQL is not installed");
  const words = [join(programs, "pg_dump"), "--no-owner", "--no-privileges", "--inserts", url];
  const [program = "", ...args] = [...asPostgresUser(), ...words];
  // What only psql understands is left out.
  return call(program, args)
    .toString()
    .replaceAll(/^\\.*$/gm, "");
}

function read(version: string, file: string): Buffer {
  return brotliDecompressSync(readFileSync(join(FIXTURES, version, file)));
}

function tar(args: readonly string[], input?: Buffer): Buffer {
  return call("tar", args, input);
}

function call(program: string, args: readonly string[], input?: Buffer): Buffer {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: "/",
    maxBuffer: 100_000_000,
    ...(input === undefined ? {} : { input }),
  });
  if (status !== 0) throw new Error(`${program} failed: ${stderr.toString()}`);
  return stdout;
}

/** A new directory for a test, which removes it. */
export function newDirectory(): string {
  return mkdtempSync(join(tmpdir(), "forebay-upgrade-"));
}
