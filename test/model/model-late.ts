import type { Finish } from "../../src/store/steps.ts";
import { isOver, type ModelJob, withEnd } from "./model-job.ts";

/**
 * The job as the late result of an attempt ends it that was given back; undefined: the result does not count.
 * Its own worker is not late, nor is one that names its attempt wrong.
 */
export function completedLate(job: ModelJob, step: Finish, now: number): ModelJob | undefined {
  const { position, executionTimeout } = job;
  if (step.mayBeLate !== true || step.attempt !== undefined || step.event !== "complete") return undefined;
  if (isOver(job) || job.expiresAt <= now) return undefined;
  if (job.state === "IN_PROGRESS" && job.worker === step.worker) return undefined;
  const run = job.attempts.flatMap(({ attempt, ended }) =>
    ended?.position === position ? [{ attempt, ended }] : [],
  );
  if (job.chunks.length > 0 || run.some(({ ended }) => ended.chunks > 0)) return undefined;
  const late = run.findLast(({ ended }) => {
    return ended.worker === step.worker && ended.startedAt + executionTimeout > now;
  });
  if (late === undefined) return undefined;
  const { worker, queuedAt, startedAt: takenAt } = late.ended;
  const result = { outcome: "COMPLETED", endedAt: now, error: undefined, exit: undefined } as const;
  const error = "the result of an earlier attempt arrived";
  const attempts = [...withEnd(job, { outcome: "CANCELLED", error }, now)];
  const place = attempts.findIndex(({ attempt }) => attempt === late.attempt);
  const before = attempts[place];
  if (before !== undefined) attempts[place] = { ...before, ended: { ...late.ended, ...result } };
  return {
    ...job,
    attempts,
    worker,
    queuedAt,
    takenAt,
    state: "COMPLETED",
    endedAt: now,
    dueAt: now + Math.max(job.retention, step.retention),
    output: step.output,
    progress: undefined,
    stopping: job.worker,
  };
}
