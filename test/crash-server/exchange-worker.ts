import type { SeededRandom } from "../crash/seeded-random.ts";
import type { TestWorker } from "../support/test-worker.ts";
import type { Chunk, Report, Span } from "../history/history.ts";
import { digestOf } from "./digest-of.ts";
import type { JobInput } from "./job-input.ts";
import type { Recorder } from "./recorder.ts";

interface HeldJob {
  readonly attempt: number;
  readonly input: JobInput;
  readonly doneAt: number;
  chunksLeft: number;
}

interface Taken {
  readonly attempt: number;
  readonly job: { readonly id: string; readonly input: JobInput };
}

interface SaidChunk {
  readonly id: string;
  readonly attempt: number;
  readonly output: string;
}

interface SaidResult {
  readonly id: string;
  readonly attempt: number;
  readonly output?: unknown;
  readonly error?: string;
}

const CAPACITY = 4;
const PAUSE = 20;
const WAIT = 100;

/**
 * A worker that speaks the exchange and writes down what each answer means. What it said in a call without an
 * answer it says again in other words, so that whoever reads a result or a chunk sees which call it came by.
 */
export class ExchangeWorker {
  readonly #worker: TestWorker;
  readonly #endpoint: string;
  readonly #recorder: Recorder;
  readonly #random: SeededRandom;
  readonly #held = new Map<string, HeldJob>();
  #words = 0;

  constructor(worker: TestWorker, endpoint: string, recorder: Recorder, random: SeededRandom) {
    this.#worker = worker;
    this.#endpoint = endpoint;
    this.#recorder = recorder;
    this.#random = random;
  }

  async run(end: AbortSignal): Promise<void> {
    while (!end.aborted) await this.#turn();
  }

  async #turn(): Promise<void> {
    const saying = [...this.#held].map(([id, job]) => this.#say(id, job));
    const chunks = saying.flatMap(({ chunk }) => chunk ?? []);
    const results = saying.flatMap(({ result }) => result ?? []);
    const isNews = chunks.length + results.length > 0;
    const ended = new Set(results.map(({ id }) => id));
    const alive = [...this.#held.keys()].filter((id) => !ended.has(id));
    const take = CAPACITY - alive.length;
    const from = this.#recorder.now();
    const body = { alive, chunks, results, take, wait: isNews ? 0 : WAIT };
    const answer = await this.#worker.exchange(body).catch(() => undefined);
    const span = { from, to: this.#recorder.now() };
    if (answer === undefined || answer.status !== 200) {
      if (answer !== undefined && !this.#recorder.isUnknown(answer.status, answer.json))
        this.#recorder.faults.push(`an exchange was answered ${answer.status}`);
      for (const chunk of chunks) this.#sent(chunk, "unknown", span);
      for (const result of results) this.#reported(result, "unknown", span);
      await Bun.sleep(PAUSE);
      return;
    }
    const ignored = new Set<string>(answer.json.ignored);
    for (const chunk of chunks) this.#sent(chunk, ignored.has(chunk.id) ? "ignored" : "stored", span);
    for (const result of results) {
      this.#reported(result, ignored.has(result.id) ? "ignored" : "accepted", span);
      this.#held.delete(result.id);
    }
    for (const id of [...ignored, ...answer.json.stop]) this.#held.delete(id);
    for (const taken of answer.json.jobs) this.#took(taken, span);
  }

  /** Never a chunk and the result of a job in one call: `ignored` would not say which of them was. */
  #say(id: string, job: HeldJob) {
    const { attempt, input } = job;
    const words = `${this.#worker.id}/${this.#words++}`;
    if (job.chunksLeft > 0) {
      job.chunksLeft--;
      return { chunk: { id, attempt, output: words } };
    }
    if (performance.now() < job.doneAt) return {};
    if (input.fails) return { result: { id, attempt, error: words } };
    return { result: { id, attempt, output: { by: words, filler: "o".repeat(input.outputFiller) } } };
  }

  #sent({ id, attempt, output: mark }: SaidChunk, outcome: Chunk["outcome"], span: Span): void {
    this.#recorder.events.push({ kind: "chunk", id, attempt, mark, outcome, ...span });
  }

  #reported({ id, attempt, ...said }: SaidResult, outcome: Report["outcome"], span: Span): void {
    const state = said.error === undefined ? "COMPLETED" : "FAILED";
    const result = digestOf(said.error ?? said.output);
    const worker = this.#worker.id;
    this.#recorder.events.push({ kind: "report", id, state, result, attempt, worker, outcome, ...span });
  }

  #took({ attempt, job: { id, input } }: Taken, span: Span): void {
    const [endpoint, worker] = [this.#endpoint, this.#worker.id];
    this.#recorder.events.push({ kind: "handOut", endpoint, id, tag: input.tag, attempt, worker, ...span });
    // Now and then a worker forgets a job, and its next call denies it.
    if (this.#random.chance(0.02)) return;
    const doneAt = performance.now() + input.work;
    this.#held.set(id, { attempt, input, doneAt, chunksLeft: input.chunks });
  }
}
