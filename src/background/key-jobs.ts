import { open, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../domain/errors.ts";
import type { Engine } from "../engine/engine.ts";
import { writeKeyUses } from "../engine/records/key-uses.ts";
import {
  createRequestedKey,
  KEY_REQUEST_FILE,
  type KeyRequest,
  keyRequestIn,
} from "../engine/records/requested-key.ts";
import type { BackgroundJob } from "./run-background-jobs.ts";

/** How often the last uses of keys are stored, ms: not with each request. */
const USES_INTERVAL = 10_000;

/** How often we look for a request, ms. */
const REQUEST_INTERVAL = 1_000;

/** Group and others must not be able to write the request. */
const WRITABLE_BY_OTHERS = 0o022;

/** `directory` is the data directory, undefined if the data is in memory. */
export function keyJobs(engine: Engine, directory: string | undefined): BackgroundJob[] {
  const uses = { name: "key uses", every: USES_INTERVAL, run: () => writeKeyUses(engine) };
  return directory === undefined ? [uses] : [uses, requestedKeyJob(engine, directory)];
}

/**
 * Creates the admin key that `forebay keys reset-admin` asks for. Whoever can write the request as the user
 * of the server can write the data itself.
 */
function requestedKeyJob(engine: Engine, directory: string): BackgroundJob {
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
    // Last: a server that was killed before this reads the request again, and finds the key.
    await rm(path, { force: true });
  }

  return { name: "requested admin key", every: REQUEST_INTERVAL, run };
}

/** Undefined if the request is not valid, or if others than root and the server's user can write it. */
async function readRequest(path: string): Promise<KeyRequest | "none" | undefined> {
  try {
    // First by its name: opening needs a file descriptor, and a flood of connections leaves none.
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
