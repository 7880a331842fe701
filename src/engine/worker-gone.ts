import type { WithFleet } from "./fleet-state.ts";
import { giveBack, type GivingBack } from "./give-back.ts";
import { countRun, type TemplateUses } from "./records/template-uses.ts";
import { deleteWorkerToken } from "./records/worker-tokens.ts";
import type { ToldStops } from "./stops.ts";
import { CONTACT_RETENTION } from "./sweep.ts";
import type { StoreAccess } from "./verb-needs.ts";
import { stopKey } from "./wait-keys.ts";

/** What retiring a worker needs. */
export interface Retirement extends GivingBack, TemplateUses, ToldStops {}

/**
 * Nothing of a worker that Forebay started runs any more: what it held goes out again, its token is refused,
 * and it is forgotten. `how` it ended stands in the error of a job that this ends. When this fails it can be
 * done again.
 */
export async function retireWorker(
  engine: Retirement,
  endpoint: string,
  worker: string,
  reason: "died" | "withdrawn",
  how?: string,
): Promise<void> {
  const until = await endOf(engine, endpoint, worker);
  // A call of it that is on its way gets no job.
  engine.fleet.draining.add(worker);
  await workerGone(engine, endpoint, worker, reason, how);
  await countRun(engine, worker, until);
  await deleteWorkerToken(engine, worker);
  engine.fleet.managed.delete(worker);
  engine.fleet.draining.delete(worker);
  engine.fleet.toReplace.delete(worker);
  engine.stopsTold.delete(stopKey(endpoint, worker));
}

/**
 * When it ended: now, if this server watched it; otherwise its last call is the last that is known of it.
 * That is forgotten where other servers go on; where none does, the worker has never called.
 */
async function endOf(engine: StoreAccess & WithFleet, endpoint: string, worker: string): Promise<number> {
  const now = engine.clock.now();
  if (engine.fleet.managed.has(worker)) return now;
  const contacts = await engine.store.workers(endpoint, 0);
  const contact = contacts.find((contact) => contact.worker === worker);
  return contact?.lastContact ?? (engine.store.shared === undefined ? 0 : now - CONTACT_RETENTION);
}

/**
 * The worker is known to run no longer: what it held goes out again. A worker that `died` has lost its jobs;
 * one that was stopped by the server (`withdrawn`) has not.
 */
export async function workerGone(
  engine: GivingBack,
  endpoint: string,
  worker: string,
  reason: "died" | "withdrawn",
  how?: string,
): Promise<void> {
  engine.parkedTakes.release(endpoint, worker);
  const now = engine.clock.now();
  const [answer] = await engine.store.apply(
    [
      {
        step: "seen",
        endpoint,
        worker,
        call: "call",
        pings: false,
        shown: { kind: "none" },
        // Another server may have handed the job out, by a clock that is a little ahead.
        deniableBefore: Number.MAX_SAFE_INTEGER,
      },
    ],
    now,
  );
  await Promise.all(answer.denied.map((job) => giveBack(engine, job, reason, how)));
}
