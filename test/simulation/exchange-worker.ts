import type { Report } from "../history/history.ts";
import type { Work } from "./plan.ts";
import type { SentChunk } from "./streams.ts";
import { type HeldJob, resultName, resultOf, SimulatedWorker } from "./worker.ts";

/** How long a call waits for news, and how long its answer is waited for, ms. */
const WAIT = 3_000;
const TIMEOUT = 10_000;
const SLOTS = 2;

interface Entry {
  readonly list: "chunks" | "results";
  readonly job: HeldJob;
  readonly text: string;
  /** In the history, from the first sending of a result on. */
  event: Report | undefined;
  readonly chunk: SentChunk | undefined;
  /** How often it was sent. */
  tries: number;
}

interface ExchangeAnswer {
  readonly jobs: readonly { readonly attempt: number; readonly job: { id: string; input: Work } }[];
  readonly stop: readonly string[];
  readonly ignored: readonly string[];
}

/** A worker of Forebay's library: one call carries everything. What got no answer is sent again. */
export class ExchangeWorker extends SimulatedWorker {
  #outbox: Entry[] = [];
  #wake = (): void => undefined;

  override start(): void {
    this.#outbox = [];
    super.start();
  }

  protected loops(): Promise<void>[] {
    return [this.#exchange()];
  }

  async #exchange(): Promise<void> {
    const { world, parts } = this;
    for (;;) {
      const from = world.agenda.now;
      const free = Math.max(0, SLOTS - this.jobs.size);
      const entries = this.#outbox.slice();
      for (const entry of entries) this.#sending(entry);
      const news = new Promise<void>((resolve) => (this.#wake = resolve));
      const path = `/v2/${parts.endpoint}/exchange/${parts.id}`;
      const body = this.#body(entries, free);
      const mayRepeat = !entries.some(({ list }) => list === "chunks");
      const call = this.call({ method: "POST", path, body }, TIMEOUT, mayRepeat);
      // What comes meanwhile goes in a second call; the first one is answered then.
      const outcome =
        entries.length > 0 ? await call : await Promise.race([call, news.then(() => undefined)]);
      if (outcome === undefined) {
        void call.then(
          (late) =>
            late.kind === "answered" && late.status === 200 && this.#answered([], late.body, from, free),
        );
        continue;
      }
      if (outcome.kind === "answered" && outcome.status === 200) {
        this.#outbox = this.#outbox.filter((entry) => !entries.includes(entry));
        this.#answered(entries, outcome.body, from, free);
      } else {
        world.tally.add("action exchange again");
        await this.sleep(world.random.between(100, 1_000), "exchanges again");
      }
    }
  }

  #body(entries: readonly Entry[], take: number): string {
    const reported = new Set(entries.flatMap(({ list, job }) => (list === "results" ? [job.id] : [])));
    const alive = [...this.jobs.keys()].filter((id) => !reported.has(id));
    const chunks = entries.filter(({ list }) => list === "chunks");
    const results = entries.filter(({ list }) => list === "results");
    return JSON.stringify({
      alive,
      chunks: chunks.map(({ job, text }) => ({ id: job.id, attempt: job.attempt, output: text })),
      progress: [...this.jobs.values()].flatMap(({ id, attempt, work, mark }) =>
        work.progress ? [{ id, attempt, value: `at ${mark}` }] : [],
      ),
      results: results.map(({ job, text }) => ({
        id: job.id,
        attempt: job.attempt,
        [job.fails ? "error" : "output"]: text,
      })),
      take,
      wait: WAIT,
    });
  }

  #answered(entries: readonly Entry[], body: string, from: number, free: number): void {
    const answer: ExchangeAnswer = JSON.parse(body);
    if (answer.jobs.length > free)
      this.world.fail(new Error(`${this.id} asked for ${free} jobs and got ${answer.jobs.length}`));
    for (const entry of entries) this.#record(entry, answer.ignored.includes(entry.job.id));
    this.stop(answer.stop);
    for (const { attempt, job } of answer.jobs) {
      const held = this.got(job, attempt, from);
      if (held !== undefined) void this.#handle(held).catch((error: unknown) => this.world.fail(error));
    }
  }

  #sending(entry: Entry): void {
    const { job, list } = entry;
    entry.tries++;
    const { id, attempt = 0, fails } = job;
    if (list !== "results" || entry.event !== undefined) return;
    const now = this.world.agenda.now;
    const state = fails ? "FAILED" : "COMPLETED";
    const told = { id, state, result: resultName(job), attempt, from: now, to: now } as const;
    entry.event = { kind: "report", outcome: "unknown", ...told };
    this.world.history.add(entry.event);
  }

  /** One that is ignored can have been stored by a call whose answer was lost. */
  #record({ job, event, chunk, tries }: Entry, isIgnored: boolean): void {
    const { world } = this;
    if (chunk !== undefined) chunk.isCertain = tries === 1 && !isIgnored;
    if (event === undefined) return;
    if (this.jobs.get(job.id) === job) this.jobs.delete(job.id);
    world.tally.add(isIgnored ? "action late report" : "action report");
    if (!isIgnored) world.history.replace(event, { ...event, outcome: "accepted", to: world.agenda.now });
  }

  async #handle(job: HeldJob): Promise<void> {
    const isWhole = await this.run(job, async (mark) => this.#add("chunks", job, mark));
    if (isWhole) this.#add("results", job, resultOf(job));
  }

  #add(list: Entry["list"], job: HeldJob, text: string): void {
    const chunk = list === "chunks" ? this.world.streams.sent(job.id, text) : undefined;
    this.#outbox.push({ list, job, text, event: undefined, chunk, tries: 0 });
    this.#wake();
  }
}
