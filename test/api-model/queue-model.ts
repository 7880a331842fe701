import type { JobState } from "../../src/domain/transitions.ts";
import { type GivenAttempt, holderOf, type ModelJob, submitted, WAITING } from "./model-job.ts";

/** Stands for an error of the server's own, whose words are not part of the model. */
export const SOME_REASON = "some reason";

/** What the chunks of one attempt may have together; one large chunk and some small ones. */
export const CHUNK_LIMIT = 5_100;

/**
 * One endpoint as docs/states.md and the specification describe it, and nothing of how it is built: the
 * states, who may change them, and what time does to them.
 */
export class QueueModel {
  now = 0;
  readonly jobs = new Map<string, ModelJob>();
  /** What each Idempotency-Key stands for, also when its job is gone. */
  readonly keys = new Map<string, { id: string; body: string; until: number; last?: JobState }>();
  readonly events = { completed: 0, failed: 0, retried: 0, ignored: 0 };
  /** When each worker was last heard of, as far as that is kept: at most once a second. */
  readonly contacts = new Map<string, number>();
  /** The same, as far as the server that runs remembers it. */
  readonly contactsWritten = new Map<string, number>();
  /** Jobs put into the queue so far, moves of jobs so far, and the workers whose open calls were answered. */
  arrivals = 0;
  moves = 0;
  readonly released = new Set<string>();

  submit(id: string, input: string, policy: ModelJob["policy"], retention: number): void {
    this.jobs.set(id, submitted({ id, input, policy, retention, position: ++this.arrivals }, this.now));
  }

  /** What the worker would get: the oldest waiting job that it is not barred from. */
  next(worker: string): ModelJob | undefined {
    const isBarred = ({ barred }: ModelJob) => barred?.worker === worker && barred.until > this.now;
    const free = this.in("IN_QUEUE").filter((job) => job.expiresAt > this.now && !isBarred(job));
    return free.sort((a, b) => a.position - b.position)[0];
  }

  take(job: ModelJob, worker: string): void {
    Object.assign(job, { state: "IN_PROGRESS", worker, takenAt: this.now, attempt: job.attempt + 1 });
    job.barred = undefined;
  }

  /** A worker's result; without an attempt, of the one it holds. Whether it counts. */
  report(
    worker: string,
    id: string,
    attempt: number | undefined,
    result: Partial<ModelJob>,
    mayBeLate = false,
  ): boolean {
    const late = mayBeLate && result.error === undefined ? this.#late(worker, id) : undefined;
    if (late !== undefined) return this.#endLate(late.job, late.attempt, result);
    const live = this.#live(worker, id, attempt);
    if (live !== undefined) this.#end(live, result.error === undefined ? "COMPLETED" : "FAILED", result);
    const job = this.jobs.get(id);
    if (job?.stopping === worker && (attempt ?? job.attempt) === job.attempt) job.stopping = undefined;
    return live !== undefined;
  }

  append(worker: string, id: string, attempt: number | undefined, chunk: string): boolean {
    const job = this.#live(worker, id, attempt);
    if (job === undefined) return false;
    if ([...job.chunks, chunk].join("").length > CHUNK_LIMIT) {
      job.stopping = worker;
      this.#end(job, "FAILED", { error: SOME_REASON });
      return false;
    }
    job.chunks.push(chunk);
    this.#prove(job);
    return true;
  }

  /** A call of the worker that lists all its jobs, says that it has any, or nothing of them. */
  called(worker: string, shows: "all" | "any" | "nothing"): void {
    if (this.now - (this.contactsWritten.get(worker) ?? -Infinity) < 1_000) return;
    this.#heard(worker);
    const all = [...this.jobs.values()].filter((job) => holderOf(job) === worker);
    if (shows === "all" || (shows === "any" && all.length === 1)) for (const job of all) this.#prove(job);
  }

  ping(worker: string, ids: readonly string[]): void {
    this.#heard(worker);
    for (const job of [...this.jobs.values()].filter((job) => holderOf(job) === worker)) {
      if (ids.includes(job.id)) this.#prove(job);
      else if ((job.takenAt ?? 0) > this.now - 6_000) continue;
      else if (job.endedAt !== undefined) job.stopping = undefined;
      else if (++job.denials >= 2) this.#giveBack(job, "denied");
    }
  }

  /** The worker is known to have ended. */
  died(worker: string): void {
    this.contacts.set(worker, this.now);
    this.released.add(worker);
    for (const job of this.jobs.values()) if (job.stopping === worker) job.stopping = undefined;
    for (const job of this.heldBy(worker)) this.#giveBack(job, "died");
  }

  cancel(id: string): ModelJob | undefined {
    const job = this.jobs.get(id);
    if (job !== undefined && job.endedAt === undefined) {
      job.stopping = job.worker;
      this.#end(job, "CANCELLED", {});
    }
    return job;
  }

  /** The status that answers it. */
  retry(id: string): 200 | 400 | 404 {
    const job = this.jobs.get(id);
    if (job === undefined || (job.goneAt ?? Infinity) <= this.now) return 404;
    if (job.state !== "FAILED" && job.state !== "TIMED_OUT") return 400;
    job.barred = job.stopping === undefined ? undefined : { worker: job.stopping, until: this.now + 10_000 };
    const fresh = { position: this.arrivals + 1, losses: 0, undelivered: 0 };
    this.#queue(job, { ...fresh, expiresAt: this.now + job.policy.ttl });
    this.events.retried++;
    return 200;
  }

  purge(): number {
    const waiting = this.in("IN_QUEUE");
    for (const job of waiting) this.#remove(job, "CANCELLED");
    return waiting.length;
  }

  /** `status?ttl=`; false when the job is gone, or its time is over. */
  setTtl(id: string, ttl: number): boolean {
    const job = this.jobs.get(id);
    if (job === undefined || (job.goneAt ?? job.expiresAt) <= this.now) return false;
    if (job.goneAt === undefined) job.expiresAt = this.now + ttl;
    else job.goneAt = Math.min(job.goneAt, this.now + ttl);
    return true;
  }

  /** Ends and hands out again what is due. While leases hold, no job is taken from its worker. */
  sweepDeadlines(leasesHold: boolean): void {
    for (const job of this.unfinished()) {
      const timeout = (job.takenAt ?? Infinity) + job.policy.executionTimeout;
      const isUndelivered = !job.proved && (job.takenAt ?? Infinity) + 8_000 <= this.now;
      const hasExpired = job.expiresAt <= this.now;
      if (hasExpired || timeout <= this.now) {
        job.stopping = job.worker;
        this.#end(job, "TIMED_OUT", { error: `${hasExpired ? "ttl" : "executionTimeout"} exceeded` });
      } else if (isUndelivered && !leasesHold) this.#giveBack(job, "undelivered");
    }
  }

  sweepSilent(): void {
    for (const job of this.in("IN_PROGRESS"))
      if ((this.contacts.get(job.worker ?? "") ?? 0) < this.now - 9_000) this.#giveBack(job, "silent");
  }

  forget(): void {
    for (const job of this.jobs.values())
      if ((job.goneAt ?? Infinity) <= this.now) this.#remove(job, job.state);
  }

  in(state: JobState): ModelJob[] {
    return [...this.jobs.values()].filter((job) => job.state === state);
  }
  unfinished(): ModelJob[] {
    return [...this.in("IN_QUEUE"), ...this.in("IN_PROGRESS")];
  }
  heldBy(worker: string): ModelJob[] {
    return this.in("IN_PROGRESS").filter((job) => job.worker === worker);
  }

  /** The job, if the worker may speak of that attempt; what it says otherwise is counted and ignored. */
  #live(worker: string, id: string, attempt: number | undefined): ModelJob | undefined {
    const job = this.heldBy(worker).find((job) => job.id === id && (attempt ?? job.attempt) === job.attempt);
    if (job === undefined) this.events.ignored++;
    return job;
  }

  /** The attempt that was given back and whose result counts all the same. */
  #late(worker: string, id: string) {
    const job = this.jobs.get(id);
    if (job === undefined || job.endedAt !== undefined || job.worker === worker) return undefined;
    const run = job.given.filter(({ position }) => position === job.position);
    if (job.expiresAt <= this.now || job.chunks.length > 0 || run.some(({ hasChunks }) => hasChunks))
      return undefined;
    const { executionTimeout } = job.policy;
    const attempt = run.findLast((one) => one.worker === worker && one.takenAt + executionTimeout > this.now);
    return attempt && { job, attempt };
  }

  #endLate(job: ModelJob, { worker, queuedAt, takenAt }: GivenAttempt, result: Partial<ModelJob>): true {
    job.stopping = job.worker;
    this.#end(job, "COMPLETED", { ...result, worker, queuedAt, takenAt });
    return true;
  }

  #heard(worker: string): void {
    this.contacts.set(worker, this.now);
    this.contactsWritten.set(worker, this.now);
  }

  #prove(job: ModelJob): void {
    if (job.endedAt === undefined) Object.assign(job, { proved: true, denials: 0 });
  }

  #end(job: ModelJob, state: JobState, result: Partial<ModelJob>): void {
    this.moves++;
    Object.assign(job, { state, endedAt: this.now, goneAt: this.now + job.retention, ...result });
    if (state === "COMPLETED") this.events.completed++;
    if (state === "FAILED" || state === "TIMED_OUT") this.events.failed++;
  }

  #giveBack(job: ModelJob, reason: "undelivered" | "denied" | "silent" | "died"): void {
    const { queuedAt, takenAt = 0, position } = job;
    const hasChunks = job.chunks.length > 0;
    job.given = [...job.given, { worker: job.worker ?? "", queuedAt, takenAt, position, hasChunks }];
    const isLoss = job.proved || reason === "died";
    const losses = job.losses + (isLoss ? 1 : 0);
    const undelivered = job.undelivered + (isLoss ? 0 : 1);
    if (losses >= 3 || undelivered >= 20) return this.#end(job, "FAILED", { error: SOME_REASON });
    const isUncertain = reason === "undelivered" || reason === "silent";
    const { worker } = job;
    if (isUncertain && worker !== undefined) {
      job.barred = { worker, until: this.now + 10_000 };
      this.released.add(worker);
    }
    if (isLoss) this.events.retried++;
    this.#queue(job, { losses, undelivered });
  }

  #queue(job: ModelJob, changed: Partial<ModelJob>): void {
    this.arrivals++;
    this.moves++;
    Object.assign(job, WAITING, { queuedAt: this.now, chunks: [] }, changed);
  }

  #remove(job: ModelJob, last: JobState): void {
    this.moves++;
    this.jobs.delete(job.id);
    for (const key of this.keys.values()) if (key.id === job.id) key.last = last;
  }
}
