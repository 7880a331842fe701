import { overdue } from "../domain/deadlines.ts";
import type { Engine } from "./engine.ts";
import { carryOut, giveBack } from "./give-back.ts";

/** Rows dealt with at once. */
const SLICE = 1_000;

/**
 * Ends or hands out again the jobs whose deadline has passed, all of them: many can be due in the same
 * moment, and none may wait for the next sweep. While `leasesHold`, because the server itself was away, no
 * job is taken from a worker that had no chance to call.
 */
export async function sweepDeadlines(engine: Engine, leasesHold: boolean): Promise<void> {
  // Those that are held stay due, and would hide what stands behind them.
  for (let held = 0; ;) {
    const now = engine.clock.now();
    const limit = SLICE + held;
    const due = (await engine.store.due(now, limit)).map((job) => ({ job, verdict: overdue(job, now) }));
    const ripe = due.filter(({ verdict }) => verdict.event === "timeOut" || !leasesHold);
    await Promise.all(ripe.map(({ job, verdict }) => carryOut(engine, job, verdict)));
    if (due.length < limit) return;
    held = due.length - ripe.length;
  }
}

/** Hands out again what workers hold that have been silent for longer than their lease. */
export async function sweepSilentWorkers(engine: Engine): Promise<void> {
  const before = engine.clock.now() - engine.durations.workerLease;
  const jobs = await engine.store.silent(before, SLICE);
  await Promise.all(jobs.map(({ job, hasHungUp }) => giveBack(engine, job, hasHungUp ? "hungUp" : "silent")));
}

/**
 * A worker that has not called for this long is not remembered: those without an id make up a new one each
 * time.
 */
export const CONTACT_RETENTION = 600_000;

/** Removes the records of finished jobs whose retention is over, and workers that are long gone. */
export async function forgetExpired(engine: Engine): Promise<void> {
  engine.unansweredReports.forget();
  for (;;) {
    const now = engine.clock.now();
    const contactsBefore = now - CONTACT_RETENTION;
    const [answer] = await engine.store.apply([{ step: "forget", limit: SLICE, contactsBefore }], now);
    for (const [worker, at] of engine.contactWritten) {
      if (at >= contactsBefore) continue;
      engine.contactWritten.delete(worker);
      engine.hasPinged.delete(worker);
    }
    if (answer.count < SLICE) return;
  }
}

/** Removes webhooks that have been delivered or given up, when their time is over. */
export async function forgetDeliveries(engine: Engine): Promise<void> {
  for (;;) {
    const step = { step: "forgetDeliveries", limit: SLICE } as const;
    const [answer] = await engine.store.apply([step], engine.clock.now());
    if (answer.count < SLICE) return;
  }
}
