import { cpSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ForebayCommand } from "../support/forebay-command.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { TEST_KEY } from "../support/test-client.ts";

/** Limits that no load of these tests reaches. */
const NO_LIMIT = { requests: 1_000_000, concurrent: 10_000 };
export const NO_LIMITS = { run: NO_LIMIT, runsync: NO_LIMIT, status: NO_LIMIT };

/** An input that lies in a file beside the database. */
export const LARGE = { text: "x".repeat(100_000) };

/** A command that is told the server, and what it printed. */
export function forebay(server: { readonly url: string } | undefined, ...words: string[]) {
  const env = server === undefined ? {} : { FOREBAY_URL: server.url, FOREBAY_KEY: TEST_KEY };
  return new ForebayCommand(words, { env }).ended();
}

export interface ShownManifest {
  readonly instant: string;
  readonly damaged: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly secretKeys: readonly string[];
  readonly files: readonly { readonly path: string; readonly size: number; readonly sha256: string }[];
}

/** The manifest of a backup, as `tar` gives it. */
export function manifestIn(file: string): ShownManifest {
  const { stdout } = Bun.spawnSync(["tar", "-xOf", file, "manifest.json"]);
  return JSON.parse(stdout.toString());
}

/** The data directory of a server, and the key file beside another one. */
export function dataOf(server: ServerProcess): string {
  return join(server.directory, "data");
}

export function copyKey(server: ServerProcess, to: string): void {
  cpSync(`${dataOf(server)}.key`, `${to}.key`);
}

/** What SQLite keeps beside a database for locks alone. */
const OF_LOCKS = /\/(lock\.db.*|forebay\.db-shm)$/;

/** Every file below the path with its content: what must be the same where nothing was changed. */
export function contentsOf(path: string): Record<string, string> {
  if (!existsSync(path) || OF_LOCKS.test(path)) return {};
  if (!statSync(path).isDirectory()) return { [path]: Bun.hash(readFileSync(path)).toString() };
  const names = readdirSync(path).toSorted();
  return Object.assign({ [path]: "directory" }, ...names.map((name) => contentsOf(join(path, name))));
}
