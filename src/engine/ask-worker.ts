import { ForebayError } from "../domain/errors.ts";
import { tokenIdOf, type WorkerToken } from "../domain/worker.ts";
import type { GivingBack } from "./give-back.ts";
import type { WithConfiguration } from "./records/configuration.ts";
import { putRecord, type RecordChanges } from "./records/put-record.ts";
import { deleteWorkerToken } from "./records/worker-tokens.ts";
import { workerGone } from "./worker-gone.ts";

/**
 * Ends a worker of the endpoint. One that Forebay started gets no more jobs and is stopped by the server that
 * started it; of any other the token is refused from now on, and what it held, or what all hold that share
 * it, goes out again without a loss. Throws WORKER_NOT_FOUND, WORKER_NOT_MANAGED for one of several that
 * share a token, and CHANGED_MEANWHILE.
 */
export async function stopWorker(
  engine: RecordChanges & GivingBack,
  endpoint: string,
  worker: string,
): Promise<void> {
  const token = tokenOf(engine, endpoint, worker);
  if (token.managed) {
    if (token.asked !== "stop") await putRecord(engine, "worker", { ...token, asked: "stop" });
    return;
  }
  await deleteWorkerToken(engine, token.id);
  const contacts = await engine.store.workers(endpoint, 0);
  const own = contacts.filter(({ worker: id }) => tokenIdOf(id) === token.id);
  await Promise.all(own.map(({ worker: id }) => workerGone(engine, endpoint, id, "withdrawn")));
}

/**
 * A worker that Forebay started gets no more jobs and ends after those that it has. Another one starts as
 * soon as the endpoint wants it. Throws WORKER_NOT_FOUND, WORKER_NOT_MANAGED and CHANGED_MEANWHILE.
 */
export async function replaceWorker(engine: RecordChanges, endpoint: string, worker: string): Promise<void> {
  const token = tokenOf(engine, endpoint, worker);
  if (!token.managed) {
    throw new ForebayError(
      "WORKER_NOT_MANAGED",
      `Worker ${worker} came by itself: Forebay cannot start another one. Start it, then delete this one.`,
    );
  }
  if (token.asked === undefined) await putRecord(engine, "worker", { ...token, asked: "replace" });
}

/** The token by which the worker speaks, and it alone. */
function tokenOf({ configuration }: WithConfiguration, endpoint: string, worker: string): WorkerToken {
  const token = configuration.get("worker", worker);
  if (token?.endpoint === endpoint) return token;
  const shared = configuration.get("worker", tokenIdOf(worker));
  if (shared?.endpoint !== endpoint || !shared.many) throw workerNotFound(worker);
  throw new ForebayError(
    "WORKER_NOT_MANAGED",
    `Worker ${worker} shares a token with others. Stop it where it runs, or delete ${shared.id}: then all ` +
      "of them end.",
  );
}

export function workerNotFound(worker: string): ForebayError {
  return new ForebayError("WORKER_NOT_FOUND", `The endpoint has no worker ${worker}.`);
}
