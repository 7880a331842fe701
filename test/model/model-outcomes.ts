import { sizeOf } from "../../src/domain/payload.ts";
import type { Step } from "../../src/store/steps.ts";
import {
  cancelled,
  drained,
  ended,
  enqueued,
  givenBack,
  isFree,
  isLive,
  isOver,
  type ModelJob,
  proved,
  retried,
  stoppedBy,
  taken,
  withColdStart,
  withTtl,
} from "./model-job.ts";
import { completedLate } from "./model-late.ts";
import { recordOf, rowOf } from "./model-row.ts";
import { isOneJobStep, isOtherStep, type OneJobStep } from "./steps.ts";

/** What one step can do to one job, and what its answer then says of that job; undefined: nothing at all. */
export interface Outcome {
  /** Undefined: the job is not there. */
  readonly job: ModelJob | undefined;
  readonly says: unknown;
}

/** The answer to a step that changed nothing, or that the contract refuses by throwing. */
export const REFUSED = { accepted: false } as const;
export const THROWS = "throws";

const ACCEPTED = { accepted: true } as const;

/**
 * What may become of the job `id` by a step of its endpoint. It is one outcome, except where the step chooses
 * among jobs up to a number (take, purge, forget), or it counts how many its worker holds (seen): where that
 * is not told by `isOnly`, both are possible.
 */
export function outcomesOf(
  id: string,
  job: ModelJob | undefined,
  step: Step,
  now: number,
  isOnly?: boolean,
): Outcome[] {
  if ("id" in step && step.id !== id) return [{ job, says: undefined }];
  if (isOtherStep(step)) return [{ job, says: undefined }];
  if (step.step === "enqueue")
    return [job === undefined ? { job: enqueued(step, now), says: ACCEPTED } : { job, says: THROWS }];
  if (isOneJobStep(step)) {
    return [job === undefined ? { job, says: absentAnswer(step) } : outcomeOn(job, step, now)];
  }
  switch (step.step) {
    case "take":
      return chosen(job, job !== undefined && isFree(job, step, now), (job) => {
        const after = taken(job, step, now);
        const { id, attempt, body, secret } = after;
        return { job: after, says: { id, attempt, body, secret } };
      });
    case "purge":
      return chosen(job, job?.state === "IN_QUEUE" && job.position <= step.position, () => ({
        job: undefined,
        says: id,
      }));
    case "forget":
      return chosen(job, job !== undefined && isOver(job) && job.dueAt <= now, () => ({
        job: undefined,
        says: id,
      }));
    case "seen":
      return job === undefined ? [{ job, says: undefined }] : seenOutcomes(job, step, now, isOnly);
  }
}

type StepOnJob = Exclude<OneJobStep, { step: "enqueue" }>;

function outcomeOn(job: ModelJob, step: StepOnJob, now: number): Outcome {
  switch (step.step) {
    case "finish": {
      const after = ended(job, step, now) ?? completedLate(job, step, now);
      return after ? { job: after, says: ACCEPTED } : { job: stoppedBy(job, step), says: REFUSED };
    }
    case "append": {
      if (!isLive(job, step)) return { job, says: REFUSED };
      const chunks = [...job.chunks, ...step.chunks];
      const bytes = chunks.reduce((sum, chunk) => sum + sizeOf(chunk), 0);
      if (step.limit === undefined || bytes <= step.limit.bytes)
        return { job: { ...proved(job), chunks }, says: ACCEPTED };
      return { job: ended(job, step.limit.otherwise, now), says: { accepted: false, isOver: true } };
    }
    case "progress": {
      if (!isLive(job, step)) return { job, says: REFUSED };
      return { job: { ...proved(job), progress: step.value }, says: ACCEPTED };
    }
    case "giveBack": {
      const after = givenBack(job, step, now);
      return after ? { job: after, says: ACCEPTED } : { job, says: REFUSED };
    }
    case "cancel": {
      const after = cancelled(job, step, now) ?? job;
      return { job: after, says: rowOf(after) };
    }
    case "retry": {
      const after = retried(job, step, now);
      if (after) return { job: after, says: { job: rowOf(after), accepted: true } };
      const isGone = isOver(job) && job.dueAt <= now;
      return { job, says: { job: isGone ? undefined : rowOf(job), accepted: false } };
    }
    case "noteColdStart": {
      const after = withColdStart(job, step);
      return after ? { job: after, says: ACCEPTED } : { job, says: REFUSED };
    }
    case "setTtl": {
      const after = withTtl(job, step.at, now);
      return after ? { job: after, says: ACCEPTED } : { job, says: REFUSED };
    }
    case "drain": {
      const { chunks, next } = drained(job, step);
      const says = { job: recordOf(job), chunks, next, remaining: job.chunks.length - next };
      return { job: step.from === undefined ? { ...job, cursor: next } : job, says };
    }
  }
}

function absentAnswer({ step }: StepOnJob): unknown {
  if (step === "cancel" || step === "drain") return undefined;
  return step === "retry" ? { job: undefined, accepted: false } : REFUSED;
}

function chosen(
  job: ModelJob | undefined,
  isPossible: boolean,
  choose: (job: ModelJob) => Outcome,
): Outcome[] {
  const unchanged = { job, says: undefined };
  return job !== undefined && isPossible ? [choose(job), unchanged] : [unchanged];
}

/** Who holds the job: runs it, or may still run it after its end. */
export function holderOf(job: ModelJob): string | undefined {
  return job.state === "IN_PROGRESS" ? job.worker : job.stopping;
}

function seenOutcomes(
  job: ModelJob,
  step: Extract<Step, { step: "seen" }>,
  now: number,
  isOnly: boolean | undefined,
): Outcome[] {
  const { shown, worker, deniableBefore, pings } = step;
  const unchanged = { job, says: undefined };
  if (holderOf(job) !== worker || shown.kind === "nothing" || job.takenAt === undefined) return [unchanged];
  const shownJob = { job: isOver(job) ? job : proved(job, pings ? now : undefined), says: undefined };
  if (shown.kind === "all") {
    if (isOnly === false || job.leaseEndsAt === undefined) return [unchanged];
    return isOnly === true ? [shownJob] : [shownJob, unchanged];
  }
  if (shown.kind === "these" && shown.ids.includes(job.id)) return [shownJob];
  const isBehind = shown.kind === "none" && job.leaseEndsAt === undefined;
  if (job.takenAt > deniableBefore && !isBehind) return [unchanged];
  if (isOver(job)) return [{ job: { ...job, stopping: undefined }, says: undefined }];
  const denied = { ...job, denials: job.denials + 1 };
  return [{ job: denied, says: rowOf(denied) }];
}
