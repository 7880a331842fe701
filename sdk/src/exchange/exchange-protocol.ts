import { Backoff, pause } from "../backoff.ts";
import { DRAINED, untilEnded } from "../on-abort.ts";
import type { ExchangeEnvironment } from "../environment.ts";
import type { Gate, Taking } from "../gate.ts";
import type { Protocol } from "../protocol.ts";
import type { Reporter } from "../reporter.ts";
import { type ResultMembers, sentMembers, unkeepable } from "../result.ts";
import { Runner, type RunnerOptions } from "../runner.ts";
import type { RunningJob } from "../running-job.ts";
import { ServerAway, ServerLink } from "../server-link.ts";
import type { Slots } from "../slots.ts";
import { type ExchangeAnswer, exchangeBody, parseAnswer } from "./exchange-call.ts";
import { type Entry, Outbox } from "./outbox.ts";

/** How long the server may hold a parked call, ms. The server shortens it to its ping interval. */
const WAIT = 3_000;

/** A parked call is aborted after this, ms, before the server takes the worker for lost. */
const PARKED_LIMIT = WAIT + 5_000;

const DELIVERY_LIMIT = 30_000;

/** A parked call that returns nothing sooner than this was not held, ms: the server is stopping. */
const NOT_HELD = 25;

/** The server accepts no larger number. */
const MAX_TAKE = 1_000;

/** A call that waits for jobs, or with `take` 0 only for stops. */
interface ParkedCall {
  readonly take: number;
  readonly controller: AbortController;
}

/**
 * Forebay's own protocol: one call that delivers reports, takes jobs, and is the heartbeat
 * (docs/worker-protocol.md). A parked call waits for jobs and stops. A delivering call is answered at once.
 * Reports that arrive during a delivering call share the next one, so a busy worker makes few calls. A parked
 * call with an outdated `take` is not aborted, because its jobs would be lost. Instead a second call makes
 * the server answer it.
 */
export class ExchangeProtocol implements Protocol, Reporter {
  readonly #toServer: { readonly url: string; readonly answersJson: true };
  readonly #slots: Slots;
  readonly #gate: Gate;
  readonly #runner: Runner;
  readonly #link: ServerLink;
  readonly #outbox = new Outbox();
  readonly #backoff = new Backoff();
  readonly #ended = new AbortController();
  /** The parked call that takes jobs. */
  #asking: ParkedCall | undefined = undefined;
  /** The parked call that takes none. */
  #listening: ParkedCall | undefined = undefined;
  /** The newest parked call. */
  #newest: ParkedCall | undefined = undefined;
  /** How many jobs the delivering call takes; undefined if there is no such call. */
  #delivering: number | undefined = undefined;
  #isDraining = false;
  #isPausing = false;
  #isPlanned = false;
  /** Whether the modifier has just answered. */
  #isRenewed = false;

  constructor({ url, token }: ExchangeEnvironment, { slots, gate }: Taking, options: RunnerOptions) {
    this.#toServer = { url, answersJson: true };
    this.#slots = slots;
    this.#gate = gate;
    this.#runner = new Runner(options, this);
    this.#link = new ServerLink(token, options.log);
  }

  run(): Promise<void> {
    this.#gate.onChange(() => this.#plan());
    this.#plan();
    return untilEnded(this.#ended.signal);
  }

  drain(): void {
    this.#isDraining = true;
    this.#plan();
  }

  stopJobs(sentence: string): void {
    this.#runner.stopAll(sentence);
    this.#outbox.dropUnheard();
    this.#plan();
  }

  chunk(run: RunningJob, json: string): Promise<void> | undefined {
    this.#add("chunks", run, `,"output":${json}`);
    return this.#outbox.room();
  }

  progress(run: RunningJob, json: string): void {
    this.#add("progress", run, `,"value":${json}`);
  }

  result(run: RunningJob, members: ResultMembers): void {
    const sent = sentMembers(members, run.endsWorker);
    this.#add("results", run, sent === "" ? "" : `,${sent}`);
    if (run.endsWorker) this.drain();
  }

  settledUnheard(): void {
    this.#plan();
  }

  #add(list: Entry["list"], run: RunningJob, members: string): void {
    const json = `{"id":${JSON.stringify(run.id)},"attempt":${run.attempt}${members}}`;
    this.#outbox.add({ list, run, json });
    this.#plan();
  }

  /** Calls are made after all events of this moment, so that they share one. */
  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      this.#proceed();
    });
  }

  #proceed(): void {
    if (this.#ended.signal.aborted) return;
    if (this.#isDrained()) {
      this.#finish(DRAINED);
      return;
    }
    if (this.#isPausing) return;
    this.#renewSlots();
    if (this.#delivering === undefined && !this.#outbox.isEmpty) void this.#deliver();
    const take = this.#freeSlots();
    if (take > 0 && this.#asking === undefined) void this.#ask(take);
    else if (this.#mustListen()) void this.#listen();
  }

  /** The answer of the modifier counts for the next calls. Then it is asked again. */
  #renewSlots(): void {
    const isWanted = !this.#isDraining && !this.#isRenewed && this.#delivering === undefined;
    this.#isRenewed = false;
    const renewal = isWanted ? this.#slots.renew() : undefined;
    if (renewal !== undefined) void this.#useRenewed(renewal);
  }

  async #useRenewed(renewal: Promise<void>): Promise<void> {
    await renewal;
    this.#isRenewed = true;
    this.#plan();
  }

  #mustListen(): boolean {
    if (this.#listening !== undefined) return false;
    return !this.#mayTake() || (this.#asking === undefined && this.#delivering === undefined);
  }

  async #ask(take: number): Promise<void> {
    this.#asking = { take, controller: new AbortController() };
    await this.#park(this.#asking);
    this.#asking = undefined;
    this.#plan();
  }

  async #listen(): Promise<void> {
    this.#listening = { take: 0, controller: new AbortController() };
    await this.#park(this.#listening);
    this.#listening = undefined;
    this.#plan();
  }

  async #deliver(): Promise<void> {
    const batch = this.#outbox.takeBatch();
    const ended = batch.filter(({ list }) => list === "results").length;
    // If no parked call takes jobs, the next one takes them for the slots that became free.
    const take = Math.min(this.#freeSlots(), this.#asking === undefined ? ended : MAX_TAKE);
    this.#delivering = take;
    try {
      const alive = [...this.#runner.ids, ...this.#outbox.waitingIds];
      const body = exchangeBody({ alive, batch, take, wait: 0 });
      const answer = await this.#link.call({ ...this.#toServer, body, limit: DELIVERY_LIMIT });
      if (answer.kind === "refused") this.#refused(answer.sentence);
      else {
        const parsed = parseAnswer(answer.value);
        this.#outbox.stored();
        this.#obey(parsed, batch);
      }
    } catch (error) {
      this.#outbox.putBack();
      this.#failed(error);
    }
    this.#delivering = undefined;
    this.#plan();
  }

  async #park(call: ParkedCall): Promise<void> {
    const { take, controller } = call;
    this.#newest = call;
    try {
      const alive = [...this.#runner.ids, ...this.#outbox.waitingIds, ...this.#outbox.sentIds];
      const body = exchangeBody({ alive, batch: [], take, wait: WAIT });
      const startedAt = performance.now();
      const answer = await this.#link.call({ ...this.#toServer, body, limit: PARKED_LIMIT, controller });
      if (answer.kind === "refused") throw new ServerAway(answer.sentence);
      const parsed = parseAnswer(answer.value);
      const isHeld = performance.now() - startedAt >= NOT_HELD || this.#newest !== call;
      if (isHeld || parsed.jobs.length + parsed.stop.length > 0) this.#obey(parsed, []);
      else void this.#pause();
    } catch (error) {
      if (!controller.signal.aborted || error instanceof ServerAway) this.#failed(error);
    }
  }

  #obey({ jobs, stop, ignored }: ExchangeAnswer, batch: readonly Entry[]): void {
    this.#backoff.reset();
    for (const { attempt, job } of jobs) this.#runner.begin(job, attempt);
    if (stop.length + ignored.length === 0) return;
    for (const id of stop) this.#runner.stop(id, "the job was cancelled or has timed out");
    for (const { list, run } of batch) {
      if (list !== "results" && ignored.includes(run.id)) run.stop("the job has ended or runs elsewhere");
    }
    this.#outbox.dropUnheard();
  }

  /** The server refused the batch under way. */
  #refused(sentence: string): void {
    const culprit = this.#outbox.refused();
    if (culprit === undefined || culprit.list === "progress") return;
    const { run } = culprit;
    run.stop("the server could not store the output of the handler");
    this.#outbox.drop(run);
    this.result(run, unkeepable(sentence));
  }

  #failed(error: unknown): void {
    if (error instanceof ServerAway) void this.#pause();
    else this.#finish(error);
  }

  async #pause(): Promise<void> {
    if (this.#isPausing) return;
    this.#isPausing = true;
    await pause(this.#backoff.next(), this.#ended.signal);
    this.#isPausing = false;
    this.#plan();
  }

  /** Free slots for which no call under way takes jobs. A waiting result keeps its slot. */
  #freeSlots(): number {
    if (!this.#mayTake() || this.#slots.isRenewing) return 0;
    const taken = this.#runner.busy + this.#outbox.waitingResults;
    const asked = (this.#asking?.take ?? 0) + (this.#delivering ?? 0);
    return Math.min(MAX_TAKE, Math.max(0, this.#slots.count - taken - asked));
  }

  #mayTake(): boolean {
    return !this.#isDraining && this.#gate.isOpen;
  }

  #isDrained(): boolean {
    const mayBringJobs = this.#asking !== undefined || this.#delivering !== undefined;
    return this.#isDraining && !mayBringJobs && this.#runner.busy === 0 && this.#outbox.isEmpty;
  }

  #finish(reason: unknown): void {
    this.#ended.abort(reason);
    this.#asking?.controller.abort();
    this.#listening?.controller.abort();
    this.#runner.stopAll(reason instanceof Error ? reason.message : "the worker has ended");
    this.#outbox.dropUnheard();
  }
}
