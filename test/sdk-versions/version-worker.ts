import { readFileSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../src/domain/errors.ts";
import { killIfThere } from "../support/processes.ts";
import { until } from "../support/until.ts";

/** How long a handler may take to begin while all workers start at once, ms. */
const BEGIN_LIMIT = 90_000;

interface StartedWorker {
  readonly pid: number;
  readonly directory: string;
  /** The name of the file in its directory that it prints into. */
  readonly output: string;
}

/** A worker of the public SDK: a process group of its own. */
export class VersionWorker {
  readonly directory: string;
  readonly #pid: number;
  readonly #output: string;

  constructor({ pid, directory, output }: StartedWorker) {
    this.directory = directory;
    this.#pid = pid;
    this.#output = output;
  }

  /** How often its handler has begun with the job. */
  executions(job: string): number {
    return this.#text("executions")
      .split("\n")
      .filter((line) => line === job).length;
  }

  /** All that it has printed. */
  get printed(): string {
    return this.#text(this.#output);
  }

  /** Resolves when its handler runs the job. */
  began(job: string): Promise<true> {
    return until(`the handler began job ${job}`, () => this.executions(job) > 0, BEGIN_LIMIT);
  }

  /** Kills all its processes at once, as the end of a container does. */
  kill(): void {
    try {
      process.kill(-this.#pid, "SIGKILL");
    } catch (error) {
      if (errorCode(error) !== "ESRCH") throw error;
    }
  }

  /** Kills its main process, and leaves the process that sends its pings. */
  killAlone(): void {
    killIfThere(this.#pid);
  }

  #text(name: string): string {
    try {
      return readFileSync(join(this.directory, name), "utf8");
    } catch (error) {
      if (errorCode(error) !== "ENOENT") throw error;
      return ""; // it has not written it yet
    }
  }
}
