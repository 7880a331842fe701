import type { SeededRandom } from "../crash/seeded-random.ts";
import { type EndState, type HistoryEvent, isEnd, type Look, type Report, type Span } from "./history.ts";
import { fresh, isLate, type Job, type Work } from "./reference-job.ts";

const ENDPOINT = "e";
const WORKERS = ["v", "w", "x"] as const;

/**
 * A queue that keeps its promises, with clients and workers whose calls overlap and lose their answers: it
 * writes legal histories. Each call takes effect at one moment, somewhere between its times.
 */
export class ReferenceQueue {
  readonly #random: SeededRandom;
  readonly #events: HistoryEvent[] = [];
  readonly #jobs: Job[] = [];
  readonly #work: Work[] = [];
  #now = 1_000;
  #words = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  /** The history of so many actions, after which everything ends. */
  static history(random: SeededRandom, actions: number): HistoryEvent[] {
    const queue = new ReferenceQueue(random);
    for (let action = 0; action < actions; action++) queue.#act();
    queue.#drain();
    return queue.#events;
  }

  #act(): void {
    const roll = this.#random.next();
    this.#now++;
    if (roll < 0.15) return this.#submit();
    if (roll < 0.18) return this.#purge();
    if (roll < 0.34) return this.#take();
    if (roll < 0.5) return this.#report();
    if (roll < 0.6) return this.#chunks();
    const job = this.#jobs.filter(({ isKnown }) => isKnown).at(-this.#random.integer(1, 4));
    if (job === undefined) return;
    if (roll < 0.66) this.#readNext(job);
    else if (roll < 0.72) this.#cancel(job);
    else if (roll < 0.78) this.#retry(job);
    else if (roll < 0.86) this.#unseen(job);
    else this.#look(job);
  }

  /** Around this moment; other calls come before and after. */
  #span(): Span {
    return { from: this.#now - this.#random.integer(0, 4), to: this.#now + this.#random.integer(0, 4) };
  }

  #word(): string {
    return `word-${this.#words++}`;
  }

  /** Does what a call does, if it arrives; whether it did, its answer can be lost. */
  #call<Done>(act: () => Done): { readonly done: Done | undefined; readonly isAnswered: boolean } {
    const roll = this.#random.next();
    if (roll < 0.1) return { done: undefined, isAnswered: false };
    return { done: act(), isAnswered: roll < 0.9 };
  }

  #submit(): void {
    const number = this.#jobs.length;
    const job: Job = {
      id: `job-${number}`,
      tag: `tag-${number}-${this.#now}`,
      mayTimeOut: this.#random.chance(0.2),
      hasWebhook: this.#random.chance(0.4),
      ...fresh(),
      isKnown: false,
      state: "IN_QUEUE",
      attempt: 0,
    };
    const { id, tag, mayTimeOut, hasWebhook } = job;
    const { isAnswered } = this.#call(() => this.#jobs.push(job));
    job.isKnown = isAnswered;
    const sent = { kind: "submission", endpoint: ENDPOINT, tag, mayTimeOut, hasWebhook } as const;
    const outcome = isAnswered
      ? ({ outcome: "acknowledged", id } as const)
      : ({ outcome: "unknown" } as const);
    this.#events.push({ ...sent, ...this.#span(), ...outcome });
  }

  #purge(): void {
    const limit = this.#random.chance(0.5) ? this.#random.integer(1, 3) : undefined;
    const { done = [], isAnswered } = this.#call(() => {
      const waiting = this.#jobs.filter(({ state }) => state === "IN_QUEUE").slice(0, limit);
      for (const job of waiting) job.state = "gone";
      return waiting;
    });
    // With a limit, the answer names the jobs: others can still wait.
    const named = limit === undefined ? {} : { ids: done.map(({ id }) => id) };
    const outcome = isAnswered
      ? ({ outcome: "acknowledged", removed: done.length, ...named } as const)
      : ({ outcome: "unknown" } as const);
    this.#events.push({ kind: "purge", endpoint: ENDPOINT, ...this.#span(), ...outcome });
  }

  #take(): void {
    const job = this.#jobs.find(({ state }) => state === "IN_QUEUE");
    if (job === undefined) return;
    const worker = this.#random.pick(WORKERS);
    const work = { job, worker, attempt: ++job.attempt, namesAttempt: worker === "x" };
    job.state = "IN_PROGRESS";
    job.holder = work;
    // The answer can be lost: then nobody works on it.
    if (this.#random.chance(0.15)) return;
    job.run.push(worker);
    job.isKnown = true;
    this.#work.push(work);
    const named = work.namesAttempt ? { attempt: work.attempt } : {};
    const { id, tag } = job;
    this.#events.push({ kind: "handOut", endpoint: ENDPOINT, id, tag, worker, ...named, ...this.#span() });
  }

  #report(): void {
    const work = this.#work[this.#random.integer(0, this.#work.length - 1)];
    if (work === undefined) return;
    // Now and then it reports the same job again.
    if (this.#random.chance(0.8)) this.#work.splice(this.#work.indexOf(work), 1);
    const { job, worker, attempt, namesAttempt } = work;
    const state = this.#random.chance(0.6) ? "COMPLETED" : "FAILED";
    const result = this.#word();
    const { done, isAnswered } = this.#call(() => {
      const counts = this.#isOfHolder(work) || (state === "COMPLETED" && isLate(work));
      if (counts) this.#end(job, state, result);
      return counts;
    });
    const named = namesAttempt ? { attempt } : {};
    const outcome = !isAnswered ? "unknown" : done === true ? "accepted" : "ignored";
    const report: Report = {
      kind: "report",
      id: job.id,
      state,
      result,
      worker,
      ...named,
      outcome,
      ...this.#span(),
    };
    this.#events.push(report);
  }

  /** A worker that names no attempt is known by its name only. */
  #isOfHolder({ job, worker, attempt, namesAttempt }: Work): boolean {
    if (job.state !== "IN_PROGRESS") return false;
    return namesAttempt ? job.attempt === attempt : job.holder?.worker === worker;
  }

  #chunks(): void {
    const named = this.#work.filter(({ namesAttempt }) => namesAttempt);
    const work = named[this.#random.integer(0, named.length - 1)];
    if (work === undefined) return;
    for (let more = this.#random.integer(1, 3); more > 0; more--) this.#chunk(work);
  }

  #chunk(work: Work): void {
    const { job } = work;
    const mark = this.#word();
    const { done, isAnswered } = this.#call(() => {
      if (!this.#isOfHolder(work)) return false;
      job.chunks.push(mark);
      job.hasChunks = true;
      return true;
    });
    const outcome = !isAnswered ? "unknown" : done === true ? "stored" : "ignored";
    this.#events.push({ kind: "chunk", id: job.id, attempt: work.attempt, mark, outcome, ...this.#span() });
  }

  #readNext(job: Job): void {
    const marks = job.chunks.slice(job.cursor);
    job.cursor = job.chunks.length;
    if (this.#random.chance(0.8) && job.state !== "gone") {
      this.#events.push({ kind: "read", id: job.id, which: "next", marks, ...this.#span() });
    }
  }

  #cancel(job: Job): void {
    if (job.state === "gone") return;
    const { done, isAnswered } = this.#call(() => {
      if (job.state === "IN_QUEUE" || job.state === "IN_PROGRESS") this.#end(job, "CANCELLED", null);
      return job.state;
    });
    const outcome = isAnswered
      ? ({ outcome: "acknowledged", state: done } as const)
      : ({ outcome: "unknown" } as const);
    this.#events.push({ kind: "cancel", id: job.id, ...this.#span(), ...outcome });
  }

  #retry(job: Job): void {
    if (job.state === "gone") return;
    const { done, isAnswered } = this.#call(() => {
      if (job.state !== "FAILED" && job.state !== "TIMED_OUT") return false;
      Object.assign(job, fresh(), { state: "IN_QUEUE" });
      return true;
    });
    const outcome = !isAnswered ? "unknown" : done === true ? "acknowledged" : "refused";
    this.#events.push({ kind: "retry", id: job.id, outcome, ...this.#span() });
  }

  /** What the server does by itself. */
  #unseen(job: Job): void {
    const isRunning = job.state === "IN_PROGRESS";
    if (!isRunning && job.state !== "IN_QUEUE") return;
    if (job.mayTimeOut && this.#random.chance(0.3)) return this.#end(job, "TIMED_OUT", null);
    if (!isRunning) return;
    if (this.#random.chance(0.2)) return this.#end(job, "FAILED", null);
    Object.assign(job, { state: "IN_QUEUE", holder: undefined, chunks: [], cursor: 0 });
  }

  #end(job: Job, state: EndState, result: string | null): void {
    Object.assign(job, { state, result, holder: undefined, record: `${state} ${job.id} ${this.#word()}` });
    if (!job.hasWebhook || job.record === undefined) return;
    const { id, record } = job;
    for (let call = this.#random.integer(1, 2); call > 0; call--) {
      const to = this.#now + this.#random.integer(0, 30);
      this.#events.push({
        kind: "webhook",
        webhookId: `webhook of ${record}`,
        id,
        state,
        record,
        from: 0,
        to,
      });
    }
  }

  #look(job: Job, isFinal = false): void {
    const { id, state, result, record } = job;
    const span = isFinal ? { from: this.#now, to: this.#now + 1 } : this.#span();
    const told = isEnd(state) && (isFinal || this.#random.chance(0.7)) ? { result, record } : {};
    const look: Look = { kind: "look", id, state, ...told, ...span, ...(isFinal ? { isFinal } : {}) };
    this.#events.push(look);
  }

  /** Every job ends, and everybody looks once more. */
  #drain(): void {
    this.#now += 10;
    const known = this.#jobs.filter(({ isKnown }) => isKnown);
    for (const job of known) {
      this.#now++;
      if (job.state === "IN_QUEUE" || job.state === "IN_PROGRESS") {
        const span = this.#span();
        this.#end(job, "CANCELLED", null);
        this.#events.push({
          kind: "cancel",
          id: job.id,
          outcome: "acknowledged",
          state: "CANCELLED",
          ...span,
        });
      }
    }
    this.#now += 100;
    for (const job of known) {
      this.#look(job, true);
      const { id, chunks: marks } = job;
      if (job.state !== "COMPLETED") continue;
      this.#events.push({ kind: "read", id, which: "all", marks, from: this.#now, to: this.#now + 1 });
    }
  }
}
