import type { Job } from "../handler.ts";
import type { WorkerLog } from "../log.ts";
import type { Reporter } from "../reporter.ts";
import type { ResultMembers } from "../result.ts";
import { Runner, type RunnerOptions } from "../runner.ts";
import type { RunningJob } from "../running-job.ts";
import { LocalRecord } from "./local-record.ts";

/** The jobs of a worker without a server. Everything is kept in memory. */
export class LocalJobs implements Reporter {
  readonly #runner: Runner;
  readonly #concurrency: number;
  readonly #log: WorkerLog;
  readonly #records = new Map<string, LocalRecord>();
  #waiting: Job[] = [];
  #onIdle: (() => void)[] = [];

  constructor(options: RunnerOptions, concurrency: number) {
    this.#runner = new Runner(options, this);
    this.#concurrency = concurrency;
    this.#log = options.log;
  }

  /** Runs the job when there is a free slot. */
  submit(job: Job): LocalRecord {
    const record = new LocalRecord(job.id);
    this.#records.set(job.id, record);
    this.#waiting.push(job);
    this.#fill();
    return record;
  }

  record(id: string): LocalRecord | undefined {
    return this.#records.get(id);
  }

  /** Jobs that have ended stay as they are. */
  cancel(record: LocalRecord): void {
    record.cancel();
    this.#waiting = this.#waiting.filter(({ id }) => id !== record.id);
    this.#runner.stop(record.id, "the job was cancelled");
  }

  /** Resolves when no job runs or waits. */
  idle(): Promise<void> {
    if (this.#isIdle) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  /** Waiting jobs never run. */
  stopAll(sentence: string): void {
    for (const record of this.#records.values()) record.cancel();
    this.#waiting = [];
    this.#runner.stopAll(sentence);
    this.#fill();
  }

  chunk({ id }: RunningJob, json: string): undefined {
    this.#records.get(id)?.addChunk(JSON.parse(json));
  }

  progress({ id }: RunningJob, json: string): void {
    this.#records.get(id)?.setProgress(JSON.parse(json));
  }

  result({ id, endsWorker }: RunningJob, members: ResultMembers): void {
    if (endsWorker) this.#log.info("on a server, the worker would now be replaced");
    this.#records.get(id)?.end(JSON.parse(`{${members}}`));
    this.#fill();
  }

  settledUnheard(): void {
    this.#fill();
  }

  get #isIdle(): boolean {
    return this.#waiting.length + this.#runner.busy === 0;
  }

  #fill(): void {
    while (this.#runner.busy < this.#concurrency) {
      const job = this.#waiting.shift();
      if (job === undefined) break;
      this.#records.get(job.id)?.begin();
      this.#runner.begin(job);
    }
    if (this.#isIdle) for (const resolve of this.#onIdle.splice(0)) resolve();
  }
}
