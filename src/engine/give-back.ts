import { endOfAttempt, returned, type ReturnReason, type Verdict } from "../domain/deadlines.ts";
import type { Job } from "../domain/job.ts";
import type { Losses } from "./losses.ts";
import type { ParkedTakes } from "./parked-takes.ts";
import type { UnansweredReports } from "./unanswered-reports.ts";
import type { StoreAccess } from "./verb-needs.ts";
import { type JobTimeSource, retentionNow } from "./job-times.ts";

/** What taking a job from its worker needs. */
export interface GivingBack extends StoreAccess, JobTimeSource {
  /** Calls for jobs that wait for one. */
  readonly parkedTakes: ParkedTakes;
  /** How the workers ended at which each unfinished job was lost, by its endpoint and id. */
  readonly losses: Losses;
  readonly unansweredReports: UnansweredReports;
}

/**
 * Takes a running job from its worker: it goes out again, or ends when it has used up its attempts. `how` the
 * worker ended, where that is known, stands in the error then.
 */
export async function giveBack(
  engine: GivingBack,
  job: Job,
  reason: ReturnReason,
  how?: string,
): Promise<void> {
  const exits = how === undefined ? undefined : engine.losses.add(job, how);
  await carryOut(engine, job, returned(job, reason, exits), reason, how);
}

/** The worker may still run the job, or be about to. */
const UNCERTAIN: ReadonlySet<ReturnReason> = new Set(["silent", "undelivered", "hungUp", "hostAway"]);

/** Does what was decided about a job; nothing when the job has moved on meanwhile. */
export async function carryOut(
  engine: GivingBack,
  job: Job,
  verdict: Verdict,
  reason: ReturnReason = "undelivered",
  how?: string,
): Promise<void> {
  const now = engine.clock.now();
  const { endpoint, id, attempt } = job;
  if (verdict.event === "forget") return;
  if (verdict.event === "giveBack") {
    const { losses, undelivered } = verdict;
    // A worker that never said what became of the job could still be running it.
    const end = endOfAttempt(job, reason, how);
    const isUncertain = UNCERTAIN.has(reason);
    const isToReport =
      job.worker !== undefined && engine.unansweredReports.reporterOf(endpoint, id) === job.worker;
    // Another job comes first, so that one which cannot be read does not keep the worker from all others.
    const isBarred = isUncertain || isToReport || reason === "unread";
    const barUntil = isBarred ? now + engine.durations.rehandDelay : now;
    // A call of it that is still open could be all that is left of it: if it lives it calls again.
    if (isUncertain && job.worker !== undefined) engine.parkedTakes.release(endpoint, job.worker);
    await engine.store.apply(
      [{ step: "giveBack", endpoint, id, attempt, losses, undelivered, barUntil, end }],
      now,
    );
    return;
  }
  const error = new TextEncoder().encode(JSON.stringify(verdict.reason));
  const { event } = verdict;
  const retention = retentionNow(engine, endpoint, id);
  await engine.store.apply(
    [
      {
        step: "finish",
        event,
        endpoint,
        id,
        worker: undefined,
        attempt,
        output: undefined,
        error,
        retention,
        onlyDue: event === "timeOut",
        // An attempt that timed out is in the row of the job.
        end: event === "giveUp" ? { ...endOfAttempt(job, reason, how), error: verdict.reason } : undefined,
      },
    ],
    now,
  );
}
