import type { SeenCall, Shown } from "../store/steps.ts";
import type { Soon } from "../domain/soon.ts";
import type { WorkerIdentity } from "../domain/worker.ts";
import type { FleetNews } from "./fleet-state.ts";
import { noteCall } from "./cold-starts.ts";
import { giveBack, type GivingBack } from "./give-back.ts";
import { isSilent, type Pings, workerKey, type WorkerLoad, type WorkerName } from "./known-workers.ts";

/** What noting the calls of workers needs. */
export interface Contacts extends GivingBack, FleetNews, Pings {
  /** When the contact of each worker was last written: it is written once a second, not at each call. */
  readonly contactWritten: Map<string, number>;
  /** When each worker last made another call than a ping here; empty on a server that shares no data. */
  readonly lastCalls: Map<string, number>;
  readonly workerLoad: WorkerLoad;
}

/** What a call of a worker says of the jobs it has. */
export interface Sighting {
  readonly shown: Shown;
  /**
   * Ping intervals between hand-out and call before the call can deny the job: shorter, and the two may have
   * crossed.
   */
  readonly crossing: number;
  /** Successive denials that make a job lost. */
  readonly denials: number;
  /** A ping is written down each time; other calls come so often that once a second is enough. */
  readonly call: "ping" | "exchange" | "other";
}

/** A call that says nothing of jobs. */
export const BARE_CALL: Sighting = {
  shown: { kind: "nothing" },
  crossing: 0,
  denials: 1,
  call: "other",
};

/** Contact is written at most this often, ms, unless the call shows something that must be acted upon. */
export const CONTACT_INTERVAL = 1_000;

/**
 * A worker called: its lease starts again, the jobs that it shows are proved, and those that it should show
 * and does not are handed out again (design, invariant 4). False, at once, if the worker has called so lately
 * that nothing was written.
 */
export function seen(engine: Contacts, worker: WorkerIdentity, sighting: Sighting): Soon<boolean> {
  const now = engine.clock.now();
  noteCall(engine, worker.id, now);
  notePings(engine, worker, sighting);
  if (engine.store.shared !== undefined && sighting.call !== "ping")
    engine.lastCalls.set(workerKey(worker), now);
  return mustBeWritten(engine, worker, sighting, now) && writeSighting(engine, worker, sighting, now);
}

/** A silent worker that waits makes no other call: its open call counts as its heartbeat. */
export function seenWaiting(engine: Contacts, endpoint: string, id: string): Promise<unknown> | undefined {
  if (!isSilent(engine, endpoint, id)) return undefined;
  const sighted = seen(engine, { endpoint, id, sharesToken: true }, BARE_CALL);
  return sighted instanceof Promise ? sighted : undefined;
}

async function writeSighting(
  engine: Contacts,
  worker: WorkerIdentity,
  sighting: Sighting,
  now: number,
): Promise<boolean> {
  const { shown, crossing, denials } = sighting;
  const deniableBefore = now - crossing * engine.durations.pingInterval;
  const call = sighting.call === "ping" ? "ping" : "call";
  const denied = await write(engine, worker, call, shown, deniableBefore);
  const reason = shown.kind === "none" ? "dropped" : "denied";
  for (const job of denied) if (job.denials >= denials) await giveBack(engine, job, reason);
  return true;
}

/**
 * The worker has closed the last call that it had open here. Unless it makes another one than a ping, it is
 * taken for dead when its lease ends (decision 0033).
 */
export async function hungUp(engine: Contacts, worker: WorkerIdentity): Promise<void> {
  const writing = write(engine, worker, "hangUp", BARE_CALL.shown, 0);
  // The next call must be written: it says that the worker lives.
  engine.contactWritten.set(workerKey(worker), engine.clock.now() - CONTACT_INTERVAL);
  // Calls before it do not speak against it.
  engine.lastCalls.delete(workerKey(worker));
  await writing;
}

/** The worker hung up at another server, and has a call open here, or has made one since. */
export async function outlives(engine: Contacts, worker: WorkerName): Promise<void> {
  await write(engine, worker, "call", BARE_CALL.shown, 0);
}

async function write(
  engine: Contacts,
  worker: WorkerName,
  call: SeenCall,
  shown: Shown,
  deniableBefore: number,
) {
  const now = engine.clock.now();
  const { endpoint, id } = worker;
  engine.contactWritten.set(workerKey(worker), now);
  const pings = !isSilent(engine, endpoint, id);
  const [answer] = await engine.store.apply(
    [{ step: "seen", endpoint, worker: id, call, pings, shown, deniableBefore }],
    now,
  );
  return answer.denied;
}

/** An exchange is a heartbeat, too. */
export function notePings(engine: Pings, worker: WorkerIdentity, { call }: Sighting): void {
  if (!worker.sharesToken) return;
  const key = workerKey(worker);
  if (call !== "other") engine.hasPinged.set(key, true);
  else if (!engine.hasPinged.has(key)) engine.hasPinged.set(key, false);
}

function mustBeWritten(engine: Contacts, worker: WorkerName, sighting: Sighting, now: number): boolean {
  if (sighting.call === "ping") return true;
  if (sighting.shown.kind === "none" && engine.workerLoad.of(worker.endpoint, worker.id) > 0) return true;
  const written = engine.contactWritten.get(workerKey(worker));
  return written === undefined || now - written >= CONTACT_INTERVAL;
}
