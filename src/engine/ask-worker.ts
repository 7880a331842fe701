import { ForebayError } from "../domain/errors.ts";
import { tokenIdOf, type WorkerToken } from "../domain/worker.ts";
import type { GivingBack } from "./give-back.ts";
import type { WithConfiguration } from "./records/configuration.ts";
import { putRecord, type RecordChanges } from "./records/put-record.ts";
import { deleteWorkerToken } from "./records/worker-tokens.ts";
import { workerGone } from "./worker-gone.ts";

/**
 * Stops a worker of the endpoint. A worker that Forebay started gets no more jobs, and the server that
 * started it stops it. For any other worker, its token is refused from now on, and the jobs of all workers
 * with that token are handed out again without a loss. Throws WORKER_NOT_FOUND, CHANGED_MEANWHILE, and
 * WORKER_NOT_MANAGED for one of several workers that share a token.
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
 * Replaces a worker that Forebay started: it gets no more jobs, and ends after its last one. Another one
 * starts when the endpoint needs it. Throws WORKER_NOT_FOUND, WORKER_NOT_MANAGED and CHANGED_MEANWHILE.
 */
export async function replaceWorker(engine: RecordChanges, endpoint: string, worker: string): Promise<void> {
  const token = tokenOf(engine, endpoint, worker);
  if (!token.managed) {
    throw new ForebayError(
      "WORKER_NOT_MANAGED",
      `Forebay did not start worker ${worker} and cannot replace it. Start another, then delete this one.`,
    );
  }
  if (token.asked === undefined) await putRecord(engine, "worker", { ...token, asked: "replace" });
}

/** The token of the worker, if no other worker has it. */
function tokenOf({ configuration }: WithConfiguration, endpoint: string, worker: string): WorkerToken {
  const token = configuration.get("worker", worker);
  if (token?.endpoint === endpoint) return token;
  const shared = configuration.get("worker", tokenIdOf(worker));
  if (shared?.endpoint !== endpoint || !shared.many) throw workerNotFound(worker);
  throw new ForebayError(
    "WORKER_NOT_MANAGED",
    `Worker ${worker} shares a token with others. Stop it where it runs, or delete ${shared.id} to stop ` +
      "all of them.",
  );
}

export function workerNotFound(worker: string): ForebayError {
  return new ForebayError("WORKER_NOT_FOUND", `The endpoint has no worker ${worker}.`);
}
