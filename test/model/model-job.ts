import type { EndedAttempt, KeptAttempt } from "../../src/domain/attempt.ts";
import type { Job } from "../../src/domain/job.ts";
import { isStored, type Payload } from "../../src/domain/payload.ts";
import type { Enqueue } from "../../src/store/enqueue-step.ts";
import type { NoteColdStart } from "../../src/store/measurement-steps.ts";
import type {
  Append,
  Cancel,
  Drain,
  Finish,
  GiveBack,
  Progress,
  Retry,
  Take,
} from "../../src/store/steps.ts";

/**
 * A job as the contract of the store describes it, with what the store keeps to itself. The model of one job
 * is written from the words of the contract and names its states itself, so that it can disagree with the
 * code.
 */
export interface ModelJob extends Omit<Job, "isSilent"> {
  readonly body: Payload;
  readonly secret: Payload | undefined;
  readonly output: Payload | undefined;
  readonly error: Payload | undefined;
  readonly progress: Payload | undefined;
  readonly ttl: number;
  readonly lowPriority: boolean;
  readonly leaseEndsAt: number | undefined;
  /** Who may not have the next attempt, and how long. */
  readonly barred: { readonly worker: string; readonly until: number } | undefined;
  /** Who may still run the job although it has ended. */
  readonly stopping: string | undefined;
  readonly chunks: readonly Payload[];
  /** Chunks that plain reads have had. */
  readonly cursor: number;
  /** What is kept of attempts for the timeline, the oldest first. */
  readonly attempts: readonly KeptAttempt[];
}

const NO_RESULT = {
  output: undefined,
  error: undefined,
  progress: undefined,
  chunks: [],
  cursor: 0,
} as const;

const WAITING = {
  state: "IN_QUEUE",
  worker: undefined,
  takenAt: undefined,
  leaseEndsAt: undefined,
  endedAt: undefined,
  proved: false,
  denials: 0,
  stopping: undefined,
  ...NO_RESULT,
} as const;

export function enqueued(step: Enqueue, now: number): ModelJob {
  const { endpoint, id, position, body, secret, policy, retention } = step;
  const expiresAt = now + policy.ttl;
  return {
    ...WAITING,
    endpoint,
    id,
    position,
    body,
    secret,
    retention,
    attempt: 0,
    losses: 0,
    undelivered: 0,
    queuedAt: now,
    expiresAt,
    dueAt: expiresAt,
    ttl: policy.ttl,
    executionTimeout: policy.executionTimeout,
    lowPriority: policy.lowPriority,
    tags: policy.tags === undefined ? null : JSON.stringify(policy.tags),
    barred: undefined,
    attempts: [],
  };
}

/** Whether the worker could get the job now. */
export function isFree(job: ModelJob, step: Take, now: number): boolean {
  const isBarred = job.barred?.worker === step.worker && job.barred.until > now;
  return job.state === "IN_QUEUE" && job.expiresAt > now && !isBarred;
}

export function taken(job: ModelJob, step: Take, now: number): ModelJob {
  return withDueAt({
    ...job,
    state: "IN_PROGRESS",
    worker: step.worker,
    attempt: job.attempt + 1,
    takenAt: now,
    leaseEndsAt: step.deliveryLease === undefined ? undefined : now + step.deliveryLease,
    barred: undefined,
  });
}

/** Undefined when the state, the worker or the attempt forbids it. */
export function ended(job: ModelJob, step: Finish, now: number): ModelJob | undefined {
  const isRunning = job.state === "IN_PROGRESS";
  if (!isRunning && !(step.event === "timeOut" && job.state === "IN_QUEUE")) return undefined;
  if (step.worker !== undefined && !(isRunning && job.worker === step.worker)) return undefined;
  if (step.attempt !== undefined && job.attempt !== step.attempt) return undefined;
  return {
    ...job,
    attempts: endedWith(job, step, now),
    state: step.event === "complete" ? "COMPLETED" : step.event === "timeOut" ? "TIMED_OUT" : "FAILED",
    endedAt: now,
    dueAt: now + Math.max(job.retention, step.retention),
    output: step.output,
    error: step.error,
    progress: undefined,
    stopping: step.event === "timeOut" || step.event === "cutOff" ? job.worker : undefined,
  };
}

/** What is kept of the attempt beside the row. */
function endedWith(job: ModelJob, { end, beside }: Finish, now: number): readonly KeptAttempt[] {
  const { attempt } = job;
  if (end !== undefined) return withEnd(job, end, now);
  if (beside === undefined) return job.attempts;
  return kept(job, { attempt, ended: undefined, coldStart: undefined, output: beside });
}

/** A worker has reported a job that was over already: it no longer runs it. */
export function stoppedBy(job: ModelJob, step: Finish): ModelJob {
  const isNewest = step.attempt === undefined || step.attempt === job.attempt;
  const saysSo = step.event === "complete" || step.event === "fail";
  return saysSo && job.stopping !== undefined && job.stopping === step.worker && isNewest
    ? { ...job, stopping: undefined }
    : job;
}

export function cancelled(job: ModelJob, step: Cancel, now: number): ModelJob | undefined {
  if (job.state !== "IN_QUEUE" && job.state !== "IN_PROGRESS") return undefined;
  return {
    ...job,
    state: "CANCELLED",
    endedAt: now,
    dueAt: now + Math.max(job.retention, step.retention),
    progress: undefined,
    stopping: job.worker,
  };
}

export function givenBack(job: ModelJob, step: GiveBack, now: number): ModelJob | undefined {
  if (job.state !== "IN_PROGRESS" || job.attempt !== step.attempt) return undefined;
  return {
    ...job,
    ...WAITING,
    attempts: withEnd(job, step.end, now),
    losses: step.losses,
    undelivered: step.undelivered,
    queuedAt: now,
    dueAt: job.expiresAt,
    barred: job.worker === undefined ? undefined : { worker: job.worker, until: step.barUntil },
  };
}

export function retried(job: ModelJob, step: Retry, now: number): ModelJob | undefined {
  if ((job.state !== "FAILED" && job.state !== "TIMED_OUT") || job.dueAt <= now) return undefined;
  const expiresAt = now + job.ttl;
  const barred = job.stopping ?? step.reporter;
  return {
    ...job,
    ...WAITING,
    attempts: withEnd(job, { outcome: job.state, error: errorIn(step, job) }, job.endedAt ?? now),
    position: Math.max(step.position, job.position + 1),
    losses: 0,
    undelivered: 0,
    queuedAt: now,
    expiresAt,
    dueAt: expiresAt,
    barred: barred === undefined ? undefined : { worker: barred, until: step.barUntil },
  };
}

function errorIn({ error }: Retry, { attempt }: ModelJob): string | undefined {
  return error?.attempt === attempt ? error.text : undefined;
}

/** How long the start of the worker of an attempt took; the first to say so is believed. */
export function withColdStart(job: ModelJob, step: NoteColdStart): ModelJob | undefined {
  const { attempt, coldStart } = step;
  return attempt > job.attempt
    ? undefined
    : { ...job, attempts: kept(job, { attempt, coldStart, ended: undefined, output: undefined }) };
}

/** The attempts with the newest one as it went, if there was one; the newest 50. */
export function withEnd(
  job: ModelJob,
  { outcome, error, exit }: Pick<EndedAttempt, "outcome" | "error" | "exit">,
  endedAt: number,
): readonly KeptAttempt[] {
  const { attempt, queuedAt, takenAt, worker, position, chunks } = job;
  if (takenAt === undefined) return job.attempts;
  const times = { queuedAt, startedAt: takenAt, endedAt };
  const ended = { outcome, ...times, worker, position, chunks: chunks.length, error, exit };
  return kept(job, { attempt, ended, coldStart: undefined, output: undefined }).filter(
    (one) => one.attempt > attempt - 50,
  );
}

function kept({ attempts }: ModelJob, said: KeptAttempt): readonly KeptAttempt[] {
  const before = attempts.find(({ attempt }) => attempt === said.attempt);
  const now = {
    attempt: said.attempt,
    ended: before?.ended ?? said.ended,
    coldStart: before?.coldStart ?? said.coldStart,
    output: before?.output ?? said.output,
  };
  const others = attempts.filter(({ attempt }) => attempt !== said.attempt);
  return [...others, now].toSorted((a, b) => a.attempt - b.attempt);
}

export function withTtl(job: ModelJob, at: number, now: number): ModelJob | undefined {
  if ((isOver(job) ? job.dueAt : job.expiresAt) <= now) return undefined;
  if (isOver(job)) return { ...job, dueAt: Math.min(job.dueAt, at) };
  return withDueAt({ ...job, expiresAt: at });
}

/** Whether the worker may speak of the running attempt. */
export function isLive(job: ModelJob, step: Append | Progress): boolean {
  const isNewest = step.attempt === undefined || step.attempt === job.attempt;
  return job.state === "IN_PROGRESS" && job.worker === step.worker && isNewest;
}

/** The chunks that a read answers, and the number of the one behind them. */
export function drained(job: ModelJob, step: Drain): { readonly chunks: Payload[]; readonly next: number } {
  const chunks: Payload[] = [];
  let next = Math.min(step.from ?? job.cursor, job.chunks.length);
  let size = 0;
  for (const chunk of job.chunks.slice(next)) {
    if (chunks.length >= step.chunkLimit || size >= step.byteLimit) break;
    chunks.push(chunk);
    size += isStored(chunk) ? chunk.size : chunk.length;
    next++;
  }
  return { chunks, next };
}

/** The worker has shown that it has the job; one that pings has a lease from then on. */
export function proved(job: ModelJob, leaseFrom?: number): ModelJob {
  return withDueAt({ ...job, proved: true, denials: 0, leaseEndsAt: job.leaseEndsAt ?? leaseFrom });
}

export function isOver(job: ModelJob): boolean {
  return job.state !== "IN_QUEUE" && job.state !== "IN_PROGRESS";
}

/** An unfinished job is due when its ttl ends, its timeout while it runs, or its lease until it is proved. */
function withDueAt(job: ModelJob): ModelJob {
  const execution = job.takenAt === undefined ? Infinity : job.takenAt + job.executionTimeout;
  const lease = job.proved ? Infinity : (job.leaseEndsAt ?? Infinity);
  return { ...job, dueAt: Math.min(job.expiresAt, execution, lease) };
}
