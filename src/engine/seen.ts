import type { WorkerIdentity } from "../domain/worker.ts";
import type { Shown } from "../store/steps.ts";
import type { Engine } from "./engine.ts";
import { noteCall } from "./first-call.ts";
import { giveBack } from "./give-back.ts";

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
  /** Whether it is written down at each call; other calls come so often that once a second is enough. */
  readonly isHeartbeat: boolean;
}

/** A call that says nothing of jobs; of a worker that never pings it proves receipt all the same. */
export const BARE_CALL: Sighting = {
  shown: { kind: "nothing" },
  crossing: 0,
  denials: 1,
  isHeartbeat: false,
};

/** Contact is written at most this often, ms, unless the call shows something that must be acted upon. */
const CONTACT_INTERVAL = 1_000;

/**
 * A worker called: its lease runs anew, the jobs it shows are proved, and those that it should show and does
 * not are handed out again (design, invariant 4).
 */
export async function seen(engine: Engine, worker: WorkerIdentity, sighting: Sighting): Promise<void> {
  const now = engine.clock.now();
  noteCall(engine, worker.id, now);
  if (!mustBeWritten(engine, worker, sighting, now)) return;
  engine.contactWritten.set(contactKey(worker), now);
  const { shown, crossing, denials } = sighting;
  const [answer] = await engine.store.apply(
    [
      {
        step: "seen",
        endpoint: worker.endpoint,
        worker: worker.id,
        shown: shown.kind === "nothing" && worker.anyCallProves ? { kind: "all" } : shown,
        deniableBefore: now - crossing * engine.durations.pingInterval,
      },
    ],
    now,
  );
  for (const job of answer.denied) if (job.denials >= denials) await giveBack(engine, job, "denied");
}

function mustBeWritten(
  engine: Engine,
  worker: WorkerIdentity,
  { shown, isHeartbeat }: Sighting,
  now: number,
): boolean {
  if (isHeartbeat) return true;
  if (shown.kind === "none" && engine.workerLoad.of(worker.endpoint, worker.id) > 0) return true;
  const written = engine.contactWritten.get(contactKey(worker));
  return written === undefined || now - written >= CONTACT_INTERVAL;
}

function contactKey(worker: WorkerIdentity): string {
  return `${worker.endpoint}/${worker.id}`;
}
