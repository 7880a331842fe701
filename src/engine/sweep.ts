import { overdue } from "../domain/deadlines.ts";
import { RETENTION, TTL } from "../domain/policy.ts";
import { isOnAwayHost, type WithFleet } from "./fleet-state.ts";
import { keptHistory, type WithHistory } from "./history.ts";
import { inSlices, paced } from "./paced.ts";
import type { WithConfiguration } from "./records/configuration.ts";
import type { Contacts } from "./seen.ts";
import type { StoreAccess, WithDurations, WithServer, WithStop } from "./verb-needs.ts";
import { carryOut, giveBack, type GivingBack } from "./give-back.ts";

/** Rows read at once. */
const SLICE = 1_000;

/**
 * Ends or hands out again the jobs whose deadline has passed, all of them: many can be due in the same
 * moment, and none may wait for the next sweep. While `leasesHold`, because the server itself was away, no
 * job is taken from a worker that had no chance to call.
 */
export async function sweepDeadlines(engine: GivingBack & WithStop, leasesHold: boolean): Promise<void> {
  // Those that are held stay due, and would hide what stands behind them.
  for (let held = 0; ;) {
    const now = engine.clock.now();
    const limit = SLICE + held;
    const due = (await engine.store.due(now, limit)).map((job) => ({ job, verdict: overdue(job, now) }));
    const ripe = due.filter(({ verdict }) => verdict.event === "timeOut" || !leasesHold);
    await inSlices(ripe, ({ job, verdict }) => carryOut(engine, job, verdict));
    if (due.length < limit || engine.isStopping) return;
    held = due.length - ripe.length;
  }
}

/** Hands out again what workers hold that have been silent for longer than their lease. */
export async function sweepSilentWorkers(
  engine: GivingBack & WithConfiguration & WithFleet & WithServer,
): Promise<void> {
  const before = engine.clock.now() - engine.durations.workerLease;
  const jobs = await engine.store.silent(before, SLICE);
  await inSlices(jobs, ({ job, hasHungUp }) => {
    // The loss of a host is no loss of the job (design, row 6 of section 7).
    const isAway = job.worker !== undefined && isOnAwayHost(engine, job.worker);
    return giveBack(engine, job, isAway ? "hostAway" : hasHungUp ? "hungUp" : "silent");
  });
}

/**
 * A worker that has not called for this long is not remembered: those without an id make up a new one each
 * time.
 */
export const CONTACT_RETENTION = 600_000;

/** Lets go of what this server alone knows of calls that are long over. */
export function forgetCalls(engine: Contacts): void {
  engine.unansweredReports.forget();
  const contactsBefore = engine.clock.now() - CONTACT_RETENTION;
  for (const [worker, at] of engine.contactWritten) {
    if (at >= contactsBefore) continue;
    engine.contactWritten.delete(worker);
    engine.lastCalls.delete(worker);
    engine.hasPinged.delete(worker);
  }
}

/** Removes finished jobs whose retention is over, and workers that are long gone. */
export async function forgetExpired(
  engine: StoreAccess & WithDurations & WithStop & WithHistory & WithConfiguration,
): Promise<void> {
  const startedAt = engine.clock.now();
  const contactsBefore = startedAt - CONTACT_RETENTION;
  const pastWorkersBefore = startedAt - pastWorkerRetention(engine.durations);
  await paced(engine, async (limit) => {
    const history = keptHistory(engine);
    const step = { step: "forget", limit, contactsBefore, pastWorkersBefore, history } as const;
    const [answer] = await engine.store.apply([step], engine.clock.now());
    return answer.hasMore === true;
  });
}

/**
 * How long a past worker is kept, ms: a job that it had may live on for the longest TTL, and then its record
 * is kept for the longest retention. A retry starts both again, and can outlive that.
 */
function pastWorkerRetention({ runRetention, runsyncRetention }: WithDurations["durations"]): number {
  return TTL.max + Math.max(RETENTION.max, runRetention, runsyncRetention);
}

/** Removes webhooks that have been delivered or given up, when their time is over. */
export async function forgetDeliveries(engine: StoreAccess & WithStop): Promise<void> {
  await paced(engine, async (limit) => {
    const [answer] = await engine.store.apply([{ step: "forgetDeliveries", limit }], engine.clock.now());
    return answer.count === limit;
  });
}
