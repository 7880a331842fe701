import { ForebayError } from "../domain/errors.ts";
import type { WithFleet } from "./fleet-state.ts";
import { giveBack, type GivingBack } from "./give-back.ts";
import { putRecord } from "./records/put-record.ts";
import { countRun, type TemplateUses } from "./records/template-uses.ts";
import { deleteWorkerToken } from "./records/worker-tokens.ts";
import type { ToldStops } from "./stops.ts";
import { CONTACT_RETENTION } from "./sweep.ts";
import type { StoreAccess } from "./verb-needs.ts";
import { stopKey } from "./wait-keys.ts";

/** What retiring a worker needs. */
export interface Retirement extends GivingBack, TemplateUses, ToldStops {}

/**
 * A worker that Forebay started has ended: its jobs are handed out again, its token is refused, and it is
 * forgotten. `how` it ended is in the error of a job that this ends. If this fails, it can be called again.
 */
export async function retireWorker(
  engine: Retirement,
  endpoint: string,
  worker: string,
  reason: GoneReason,
  how?: string,
): Promise<void> {
  const until = await endOf(engine, endpoint, worker);
  // A call that is on its way from it gets no job.
  engine.fleet.draining.add(worker);
  await workerGone(engine, endpoint, worker, reason, how);
  await countRun(engine, worker, until);
  await deleteWorkerToken(engine, worker);
  forgetManaged(engine, endpoint, worker);
}

/**
 * The host of a worker has not answered for too long: the jobs of the worker are handed out again, and its
 * token is refused. Its record stays with its GPUs, because it may still run. If this fails, it can be called
 * again.
 */
export async function loseWorker(engine: Retirement, endpoint: string, worker: string): Promise<void> {
  engine.fleet.draining.add(worker);
  await noteLost(engine, worker);
  await workerGone(engine, endpoint, worker, "hostAway");
  forgetManaged(engine, endpoint, worker);
}

async function noteLost(engine: Retirement, worker: string): Promise<void> {
  for (;;) {
    const token = engine.configuration.get("worker", worker);
    if (token === undefined || token.lostAt !== undefined) return;
    try {
      await putRecord(engine, "worker", { ...token, lostAt: engine.clock.now() });
      return;
    } catch (error) {
      if (!(error instanceof ForebayError && error.code === "CHANGED_MEANWHILE")) throw error;
    }
  }
}

function forgetManaged({ fleet, stopsTold }: WithFleet & ToldStops, endpoint: string, worker: string): void {
  fleet.managed.delete(worker);
  fleet.draining.delete(worker);
  fleet.toReplace.delete(worker);
  stopsTold.delete(stopKey(endpoint, worker));
}

/**
 * When it ended: now, if this server watched it; otherwise at its last call. The last call is forgotten if
 * other servers continue. If there are none, the worker has never called.
 */
async function endOf(engine: StoreAccess & WithFleet, endpoint: string, worker: string): Promise<number> {
  const now = engine.clock.now();
  if (engine.fleet.managed.has(worker)) return now;
  const contacts = await engine.store.workers(endpoint, 0);
  const contact = contacts.find((contact) => contact.worker === worker);
  return contact?.lastContact ?? (engine.store.shared === undefined ? 0 : now - CONTACT_RETENTION);
}

/** Why the jobs of a worker are handed out again. */
type GoneReason = "died" | "withdrawn" | "hostAway";

/**
 * A worker has ended: its jobs are handed out again. If it `died`, its jobs were lost; if the server stopped
 * it (`withdrawn`), or its host is away, they were not.
 */
export async function workerGone(
  engine: GivingBack,
  endpoint: string,
  worker: string,
  reason: GoneReason,
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
        // Another server, whose clock is a little ahead, may have handed the job out.
        deniableBefore: Number.MAX_SAFE_INTEGER,
      },
    ],
    now,
  );
  await Promise.all(answer.denied.map((job) => giveBack(engine, job, reason, how)));
}
