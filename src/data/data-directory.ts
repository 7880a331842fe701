import { existsSync } from "node:fs";
import { mkdir, readFile, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { z } from "zod";
import { type Config, IN_MEMORY } from "../config/config.ts";
import { errorCode, withPath } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import { OperatorFault } from "../domain/operator-fault.ts";
import { writeDurably } from "../host/durable-files.ts";
import { type AdoptedFrom, lockDirectory, restoreRefusal } from "../store/offline-store.ts";

/** A data directory that this server alone uses. */
export interface DataDirectory {
  /**
   * The id of this server among those that share its data, the same after each start. Only this server stops
   * the workers that it has started: they run on its machine.
   */
  readonly server: string;
  /** Whether a server has stored data in this directory before, or in a database with it. */
  readonly hasServed: boolean;
  /** Call it when the store is open. It notes that the directory has data, and where the directory is. */
  confirm(): Promise<void>;
  /** Gives the directory up: another server may use it. */
  release(): void;
}

type DirectoryConfig = Pick<Config, "data" | "databaseUrl" | "adoptData">;

const IDENTITY = z.object({
  server: z.string().min(1),
  /** Identify the directory: a copy has another inode, or one that was created at another time. */
  inode: z.string(),
  bornAt: z.string(),
  /** Where the data of the server is; `none` until the first start has opened its store. */
  store: z.enum(["none", "directory", "database"]),
});

type Identity = z.infer<typeof IDENTITY>;
type Place = Pick<Identity, "inode" | "bornAt">;

const FILE = "identity";

/** The file of version 0.1, with the id of the server only. */
const FILE_BEFORE = "server-id";

const LOCKED_ADVICE = "Stop it first, or give this one a directory of its own with --data.";

/**
 * Locks the data directory for this server, and creates it at the first start. The right to serve depends on
 * the lock and the inode, and on nothing that changes with a reboot or if a volume moves. Throws
 * OperatorFault if another server uses the directory, and if it is a copy that must not be adopted.
 */
export async function openDataDirectory(config: DirectoryConfig): Promise<DataDirectory> {
  if (config.data === IN_MEMORY) {
    const nothing = { confirm: async () => undefined, release: () => undefined };
    return { server: crypto.randomUUID(), hasServed: false, ...nothing };
  }
  const directory = resolve(config.data);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const release = lockDirectory(join(directory, "lock.db"), directory, LOCKED_ADVICE);
  try {
    return { ...(await identified(directory, config)), release };
  } catch (error) {
    release();
    throw error;
  }
}

async function identified(
  directory: string,
  { databaseUrl, adoptData }: DirectoryConfig,
): Promise<Omit<DataDirectory, "release">> {
  const unfinished = restoreRefusal(directory);
  if (unfinished !== undefined) throw new OperatorFault(unfinished);
  const known = await readIdentity(directory);
  const here = await placeOf(directory);
  const isCopy = known !== undefined && !isSame(known, here);
  if (isCopy && !adoptData) throw new OperatorFault(copySentence(directory));
  const before = await readServerBefore(directory);
  const server = (isCopy ? undefined : (known?.server ?? before)) ?? crypto.randomUUID();
  // The directory names the server before anything in the data does.
  if (known === undefined) await writeIdentity(directory, { server, ...here, store: "none" });
  return {
    server,
    hasServed: known === undefined ? before !== undefined : known.store !== "none",
    async confirm() {
      const store = databaseUrl === "" ? "directory" : "database";
      const isKnown = known?.server === server && isExact(known, here) && known.store === store;
      if (!isKnown) await writeIdentity(directory, { server, ...here, store });
      await rm(join(directory, FILE_BEFORE), { force: true });
    },
  };
}

/** Why the directory must not be served: it is a copy. Undefined if it is not, or not known to be one. */
export async function copyRefusal(directory: string): Promise<string | undefined> {
  const known = await readIdentity(directory);
  if (known === undefined || isSame(known, await placeOf(directory))) return undefined;
  return copySentence(directory);
}

/** Binds a restored directory to `server`. */
export async function bindDirectory(directory: string, server: string): Promise<void> {
  await writeIdentity(directory, { server, ...(await placeOf(directory)), store: "directory" });
}

/** Whether a server has stored data in the directory, or in a database with it. */
export async function hasServed(directory: string): Promise<boolean> {
  const known = await readIdentity(directory);
  return known === undefined ? existsSync(join(directory, FILE_BEFORE)) : known.store !== "none";
}

/** Logs that data was adopted. Containers and volumes of the original stay on its Docker Engine. */
export function logAdoption(log: Log, { server, deployment }: AdoptedFrom): void {
  log.warn("the data of another server was adopted: what it has on a Docker Engine stays there", {
    server,
    deployment,
  });
}

function copySentence(directory: string): string {
  return (
    `${directory} is a copy of another data directory, and the server of the original may still run. ` +
    "If you restored a backup, or want a second server on this data, start it once with --adopt-data: it " +
    "then gets a name of its own, and does not touch the workers and containers of the original."
  );
}

async function readIdentity(directory: string): Promise<Identity | undefined> {
  const path = join(directory, FILE);
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  const parsed = IDENTITY.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new OperatorFault(`${path} is damaged. Put the file back from a backup of the directory.`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

async function writeIdentity(directory: string, identity: Identity): Promise<void> {
  await writeDurably(join(directory, FILE), `${JSON.stringify(identity)}\n`);
}

async function readServerBefore(directory: string): Promise<string | undefined> {
  const text = (await readIfThere(join(directory, FILE_BEFORE)))?.trim();
  return text === "" ? undefined : text;
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw withPath(error, path);
    return undefined;
  }
}

async function placeOf(directory: string): Promise<Place> {
  const { ino, birthtimeNs } = await stat(directory, { bigint: true });
  return { inode: String(ino), bornAt: String(birthtimeNs) };
}

/**
 * Root directories of volumes often have the same inode number, so we compare the time of creation too. Some
 * file systems do not tell it. The number of the device means nothing: it changes when a volume moves.
 */
function isSame(one: Place, other: Place): boolean {
  if (one.inode !== other.inode) return false;
  return one.bornAt === other.bornAt || one.bornAt === UNKNOWN || other.bornAt === UNKNOWN;
}

const UNKNOWN = "0";

function isExact(one: Place, other: Place): boolean {
  return one.inode === other.inode && one.bornAt === other.bornAt;
}
