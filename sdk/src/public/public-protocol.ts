import { Backoff, pause } from "../backoff.ts";
import type { PublicEnvironment } from "../environment.ts";
import type { Gate, Taking } from "../gate.ts";
import type { Job } from "../handler.ts";
import { DRAINED, untilEnded } from "../on-abort.ts";
import type { Protocol } from "../protocol.ts";
import type { Reporter } from "../reporter.ts";
import { type ResultMembers, sentMembers, unkeepable } from "../result.ts";
import { Runner, type RunnerOptions } from "../runner.ts";
import type { RunningJob } from "../running-job.ts";
import { type ServerAnswer, ServerAway, ServerLink } from "../server-link.ts";
import type { Slots } from "../slots.ts";
import { LongPoll } from "./long-poll.ts";

const LIMIT = 30_000;

/** The server accepts no larger number. */
const MAX_BATCH = 1_000;

/** How often a worker without a free slot asks its modifier for more, ms. */
const LOOK_INTERVAL = 1_000;

/**
 * The public worker protocol (docs/worker-protocol.md): a loop that takes jobs, a loop for stops, a ping, and
 * a call for each chunk and each result. A slot is free when the result of its job is stored.
 */
export class PublicProtocol implements Protocol, Reporter {
  readonly #environment: PublicEnvironment;
  readonly #slots: Slots;
  readonly #gate: Gate;
  readonly #runner: Runner;
  readonly #link: ServerLink;
  /** Jobs that have ended here but not on the server. */
  readonly #unstored = new Set<RunningJob>();
  /** The newest progress value of each job whose progress is being sent. */
  readonly #progress = new Map<RunningJob, string>();
  readonly #draining = new AbortController();
  readonly #ended = new AbortController();
  #isTaking = true;
  #onSlot: (() => void) | undefined = undefined;

  constructor(environment: PublicEnvironment, { slots, gate }: Taking, options: RunnerOptions) {
    this.#environment = environment;
    this.#slots = slots;
    this.#gate = gate;
    this.#runner = new Runner(options, this);
    this.#link = new ServerLink(environment.token, options.log);
  }

  run(): Promise<void> {
    this.#gate.onChange(() => this.#slotsChanged());
    for (const loop of [this.#takeJobs(), this.#hearStops(), this.#ping()]) {
      loop.catch((error: unknown) => this.#finish(error));
    }
    return untilEnded(this.#ended.signal);
  }

  drain(): void {
    this.#draining.abort();
    this.#slotsChanged();
  }

  stopJobs(sentence: string): void {
    this.#runner.stopAll(sentence);
  }

  /** Requests the next yield after this one is stored, which keeps them in order. */
  async chunk(run: RunningJob, json: string): Promise<void> {
    const url = `${this.#addressOf("stream", run)}&isStream=false`;
    const answer = await this.#store(url, `{"output":${json}}`, () => !run.isStopped);
    if (answer?.kind !== "refused") return;
    run.stop("the server could not store the output of the handler");
    this.result(run, unkeepable(answer.sentence));
  }

  progress(run: RunningJob, json: string): void {
    const isBeingSent = this.#progress.has(run);
    this.#progress.set(run, json);
    if (!isBeingSent) void this.#sendProgress(run);
  }

  result(run: RunningJob, members: ResultMembers): void {
    this.#unstored.add(run);
    void this.#sendResult(run, members);
    if (run.endsWorker) this.drain();
  }

  settledUnheard(): void {
    this.#slotsChanged();
  }

  async #takeJobs(): Promise<void> {
    const poll = new LongPoll(this.#link, this.#draining.signal);
    while (!this.#draining.signal.aborted) {
      await this.#renewSlots();
      const free = this.#slots.count - this.#runner.busy - this.#unstored.size;
      if (free > 0 && this.#gate.isOpen)
        for (const job of parseJobs(await poll.ask(this.#takeAddress(free)))) this.#runner.begin(job);
      else await this.#slotChange();
    }
    this.#isTaking = false;
    this.#slotsChanged();
  }

  /** Waits for the modifier, unless the worker is drained meanwhile. */
  async #renewSlots(): Promise<void> {
    void this.#slots.renew()?.then(() => this.#onSlot?.());
    while (this.#slots.isRenewing && !this.#draining.signal.aborted) await this.#slotChange();
  }

  #slotChange(): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#slots.canChange ? setTimeout(resolve, LOOK_INTERVAL) : undefined;
      this.#onSlot = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #takeAddress(free: number): string {
    const { take, takeBatch } = this.#environment;
    const inProgress = this.#runner.busy + this.#unstored.size > 0 ? 1 : 0;
    const address = free > 1 ? `${takeBatch}&batch_size=${Math.min(free, MAX_BATCH)}` : take;
    return `${address}&job_in_progress=${inProgress}`;
  }

  async #hearStops(): Promise<void> {
    const poll = new LongPoll(this.#link, this.#ended.signal);
    while (!this.#ended.signal.aborted) {
      for (const id of parseStops(await poll.ask(this.#environment.stop))) {
        this.#runner.stop(id, "the job was cancelled or has timed out");
      }
    }
  }

  async #ping(): Promise<void> {
    const { ping, pingInterval } = this.#environment;
    while (!this.#ended.signal.aborted) {
      const ids = [...this.#runner.ids, ...Array.from(this.#unstored, (run) => run.id)];
      const url = new URL(ping);
      if (ids.length > 0) url.searchParams.set("job_id", ids.join(","));
      try {
        await this.#link.call({ url: url.href, answersJson: false, limit: 2 * pingInterval });
      } catch (error) {
        // The next ping repeats it.
        if (!(error instanceof ServerAway)) throw error;
      }
      await pause(pingInterval, this.#ended.signal);
    }
  }

  async #sendProgress(run: RunningJob): Promise<void> {
    const url = `${this.#addressOf("done", run)}&isStream=false`;
    for (;;) {
      const value = this.#progress.get(run) ?? "null";
      const isWanted = (): boolean => !run.isStopped && !run.isSettled;
      await this.#store(url, `{"status":"IN_PROGRESS","output":${value}}`, isWanted);
      if (this.#progress.get(run) === value) break;
    }
    this.#progress.delete(run);
  }

  async #sendResult(run: RunningJob, members: ResultMembers): Promise<void> {
    const url = `${this.#addressOf("done", run)}&isStream=${run.isStream}`;
    const bodyOf = (result: ResultMembers): string => `{${sentMembers(result, run.endsWorker)}}`;
    const answer = await this.#store(url, bodyOf(members));
    if (answer?.kind === "refused") await this.#store(url, bodyOf(unkeepable(answer.sentence)));
    this.#unstored.delete(run);
    this.#slotsChanged();
  }

  #addressOf(what: "done" | "stream", run: RunningJob): string {
    return this.#environment[what].replace("$JOB", run.id);
  }

  /** Repeats the call until the server has accepted or refused it; undefined if it is no longer needed. */
  async #store(url: string, body: string, isWanted = () => true): Promise<ServerAnswer | undefined> {
    const backoff = new Backoff();
    while (isWanted() && !this.#ended.signal.aborted) {
      try {
        return await this.#link.call({ url, body, answersJson: false, limit: LIMIT });
      } catch (error) {
        if (!(error instanceof ServerAway)) this.#finish(error);
        await pause(backoff.next(), this.#ended.signal);
      }
    }
    return undefined;
  }

  #slotsChanged(): void {
    this.#onSlot?.();
    const isIdle = !this.#isTaking && this.#runner.busy + this.#unstored.size === 0;
    if (isIdle) this.#finish(DRAINED);
  }

  #finish(reason: unknown): void {
    this.#draining.abort();
    this.#ended.abort(reason);
    this.#runner.stopAll(reason instanceof Error ? reason.message : "the worker has ended");
  }
}

/** The jobs in an answer of job-take (one object) or job-take-batch (a list). */
function parseJobs(answer: unknown): readonly Job[] {
  return (Array.isArray(answer) ? answer : [answer]).filter(isJob);
}

/** The ids in an answer of job-stop. */
function parseStops(answer: unknown): readonly string[] {
  if (typeof answer !== "object" || answer === null || !("jobsToStop" in answer)) return [];
  const { jobsToStop } = answer;
  return Array.isArray(jobsToStop) ? jobsToStop.filter((id) => typeof id === "string") : [];
}

function isJob(value: unknown): value is Job {
  return typeof value === "object" && value !== null && "input" in value && "id" in value && isText(value.id);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
