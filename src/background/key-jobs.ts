import { open, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../domain/errors.ts";
import type { Engine } from "../engine/engine.ts";
import {
  createRequestedKey,
  KEY_REQUEST_FILE,
  type KeyRequest,
  keyRequestIn,
} from "../engine/records/requested-key.ts";
import type { Duty } from "./duty.ts";
import { keyUsesDuty } from "./key-uses.ts";

/** Between two looks for a request, ms. */
const INTERVAL = 1_000;

/** Group and others must not be able to write the request. */
const WRITABLE_BY_OTHERS = 0o022;

/** What is done about keys; `directory` is that of the data, undefined if the data is in memory. */
export function keyDuties(engine: Engine, directory: string | undefined): Duty[] {
  return [keyUsesDuty(engine), ...(directory === undefined ? [] : [requestedKeyDuty(engine, directory)])];
}

/**
 * Creates the admin key that `forebay keys reset-admin` asks for. Whoever can write the request as the user
 * of the server can write the data itself.
 */
function requestedKeyDuty(engine: Engine, directory: string): Duty {
  const path = join(directory, KEY_REQUEST_FILE);

  async function run(): Promise<void> {
    const request = await readRequest(path);
    if (request === "none") return;
    if (request === undefined) {
      engine.log.warn("a request for an admin key is not valid, or others can write it: it was removed", {
        path,
      });
    } else {
      await createRequestedKey(engine, request);
      engine.log.warn("an admin key was created by forebay keys reset-admin", { key: request.id });
    }
    // Last: a server that is killed before looks at it again, and finds the key.
    await rm(path, { force: true });
  }

  return { name: "requested admin key", every: INTERVAL, run };
}

/** Undefined if it is not valid, or not written by the server's user or root alone. */
async function readRequest(path: string): Promise<KeyRequest | "none" | undefined> {
  try {
    // By its name first: to open it takes a file descriptor, of which a flood of connections leaves none.
    await stat(path);
    await using file = await open(path);
    const { uid, mode } = await file.stat();
    const isOurs = uid === process.getuid?.() || uid === 0;
    const isGuarded = isOurs && (mode & WRITABLE_BY_OTHERS) === 0;
    return isGuarded ? keyRequestIn(await file.readFile("utf8")) : undefined;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return "none";
    throw error;
  }
}
