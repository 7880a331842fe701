import { openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { digestOf } from "./digest-of.ts";
import type { JobInput } from "./job-input.ts";
import { wallTime } from "./wall-time.ts";
import { RECORDS_VARIABLE, type WorkerRecord } from "./worker-record.ts";

export interface WorkedJob {
  readonly id: string;
  readonly input: JobInput;
}

/** What a worker in a process of its own does with a job. */
export class RecordedWork {
  readonly #endpoint = process.env["RUNPOD_ENDPOINT_ID"] ?? "";
  readonly #name = crypto.randomUUID();
  readonly #records = openSync(join(process.env[RECORDS_VARIABLE] ?? "", this.#name), "a");
  #reports = 0;

  /** Writes each action down before it is done, so that the record survives a kill. */
  async run({ id, input }: WorkedJob, signal?: AbortSignal): Promise<{ error: string } | { by: string }> {
    this.#record({ at: wallTime(), did: "got", endpoint: this.#endpoint, id, tag: input.tag });
    await pause(input.work, undefined, signal === undefined ? {} : { signal });
    // No two reports are alike.
    const by = `${this.#name}/${this.#reports++}`;
    if (input.fails) {
      this.#record({ at: wallTime(), did: "report", id, state: "FAILED", digest: digestOf(by) });
      return { error: by };
    }
    const output = { by, filler: "o".repeat(input.outputFiller) };
    this.#record({ at: wallTime(), did: "report", id, state: "COMPLETED", digest: digestOf(output) });
    return output;
  }

  #record(entry: WorkerRecord): void {
    writeSync(this.#records, `${JSON.stringify(entry)}\n`);
  }
}
