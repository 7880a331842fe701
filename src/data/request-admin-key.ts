import { chown, rm, stat } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Config, IN_MEMORY } from "../config/config.ts";
import { copyRefusal, hasServed } from "./data-directory.ts";
import { errorCode } from "../domain/errors.ts";
import { KEY_REQUEST_FILE, newKeyRequest } from "../engine/records/requested-key.ts";
import { systemClock } from "../host/system-clock.ts";
import { writeDurably } from "../host/durable-files.ts";

export interface RequestedKey {
  readonly id: string;
  readonly text: string;
  /** Whether a server has created it. Otherwise the next server on the directory will. */
  readonly isCreated: boolean;
}

/** How long we wait for a running server to read the request, and how often we look, ms. */
const PATIENCE = 5_000;
const LOOK = 100;

/**
 * Writes a request for an admin key into the data directory. The server finds it within a second, or at its
 * next start. Works for both stores, and no second process opens the store. Throws a sentence.
 */
export async function requestAdminKey({ data }: Pick<Config, "data">): Promise<RequestedKey> {
  const directory = await servedDirectory(data);
  const { request, text } = newKeyRequest();
  const path = join(directory, KEY_REQUEST_FILE);
  await writeRequest(path, directory, JSON.stringify(request));
  const clock = systemClock();
  const until = clock.now() + PATIENCE;
  while (existsSync(path) && clock.now() < until) {
    await new Promise<void>((done) => {
      clock.after(LOOK, done);
    });
  }
  return { id: request.id, text, isCreated: !existsSync(path) };
}

async function servedDirectory(data: string): Promise<string> {
  if (data === IN_MEMORY) {
    throw new Error("Data in memory has no lost key: restart the server, and it prints a new one.");
  }
  const directory = resolve(data);
  try {
    if (!(await hasServed(directory))) {
      throw new Error(
        `No server has stored data in ${directory}. Name the directory of the server with --data.`,
      );
    }
    const refusal = await copyRefusal(directory);
    if (refusal !== undefined) throw new Error(refusal);
    return directory;
  } catch (error) {
    throw refused(error, directory);
  }
}

/** If we run as root, the file gets the owner of the directory: the user of the server. */
async function writeRequest(path: string, directory: string, text: string): Promise<void> {
  try {
    const { uid, gid } = await stat(directory);
    await rm(path, { force: true });
    await writeDurably(path, `${text}\n`);
    if (process.getuid?.() === 0) await chown(path, uid, gid);
  } catch (error) {
    throw refused(error, directory);
  }
}

function refused(error: unknown, directory: string): unknown {
  if (!["EACCES", "EPERM"].includes(errorCode(error))) return error;
  return new Error(`${directory} belongs to another user. Run this as the user of the server, or as root.`);
}
