import type { Job } from "../../src/domain/job.ts";

/** What the model keeps of a job: the words are those of `Job`; payloads are JSON text. */
export type ModelJob = Omit<
  { -readonly [Key in keyof Job]: Job[Key] },
  "endpoint" | "dueAt" | "executionTimeout" | "isSilent" | "tags"
> & {
  input: string;
  policy: { ttl: number; executionTimeout: number };
  goneAt: number | undefined;
  output: string | undefined;
  error: string | undefined;
  chunks: string[];
  /** Chunks that plain reads have had. */
  read: number;
  barred: { worker: string; until: number } | undefined;
  /** Attempts that came back without a result. */
  given: readonly GivenAttempt[];
  /** Who may still run the job although it was cancelled or timed out. */
  stopping: string | undefined;
};

export interface GivenAttempt {
  readonly worker: string;
  readonly queuedAt: number;
  readonly takenAt: number;
  readonly position: number;
  readonly hasChunks: boolean;
}

/** Of a job that waits and has not run yet, or is to run again. */
export const WAITING = {
  state: "IN_QUEUE",
  worker: undefined,
  takenAt: undefined,
  endedAt: undefined,
  goneAt: undefined,
  output: undefined,
  error: undefined,
  read: 0,
  proved: false,
  denials: 0,
  stopping: undefined,
} as const;

/** A job that was just submitted. */
export function submitted(
  given: Pick<ModelJob, "id" | "input" | "policy" | "retention" | "position">,
  now: number,
): ModelJob {
  const counts = { attempt: 0, losses: 0, undelivered: 0 };
  const expiresAt = now + given.policy.ttl;
  return {
    ...WAITING,
    ...given,
    ...counts,
    queuedAt: now,
    expiresAt,
    chunks: [],
    given: [],
    barred: undefined,
  };
}

/** Who runs the job, or may still run it. */
export function holderOf(job: ModelJob): string | undefined {
  return job.state === "IN_PROGRESS" ? job.worker : job.stopping;
}
