import type { Engine } from "./engine.ts";
import { countRun } from "./records/template-uses.ts";
import { deleteWorkerToken } from "./records/worker-tokens.ts";
import { CONTACT_RETENTION } from "./sweep.ts";
import { stopKey } from "./wait-keys.ts";
import { workerGone } from "./worker-gone.ts";

/**
 * Nothing of a worker that Forebay started runs any more: what it held goes out again, its token is refused,
 * and it is forgotten. `how` it ended stands in the error of a job that this ends. When this fails it can be
 * done again.
 */
export async function retireWorker(
  engine: Engine,
  endpoint: string,
  worker: string,
  reason: "died" | "withdrawn",
  how?: string,
): Promise<void> {
  const until = await endOf(engine, endpoint, worker);
  // A call of it that is on its way gets no job.
  engine.draining.add(worker);
  await workerGone(engine, endpoint, worker, reason, how);
  await countRun(engine, worker, until);
  await deleteWorkerToken(engine, worker);
  engine.managed.delete(worker);
  engine.draining.delete(worker);
  engine.toReplace.delete(worker);
  engine.stopsTold.delete(stopKey(endpoint, worker));
}

/**
 * When it ended: now, if this server watched it; otherwise its last call is the last that is known of it.
 * That is forgotten where other servers go on; where none does, the worker has never called.
 */
async function endOf(engine: Engine, endpoint: string, worker: string): Promise<number> {
  const now = engine.clock.now();
  if (engine.managed.has(worker)) return now;
  const contacts = await engine.store.workers(endpoint, 0);
  const contact = contacts.find((contact) => contact.worker === worker);
  return contact?.lastContact ?? (engine.store.shared === undefined ? 0 : now - CONTACT_RETENTION);
}
