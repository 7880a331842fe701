import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Handler, Job, JobContext } from "@forebay/worker";
import { systemClock } from "../../../host/system-clock.ts";
import { jobEnvironment } from "../../child-environment.ts";
import { withSentences } from "../job-failure.ts";
import { linesOf, readAll } from "../read-output.ts";
import { say } from "../say.ts";
import { valueOf, valueOfBytes } from "../value-of.ts";
import type { Work } from "../work.ts";
import { Guard } from "./guard.ts";
import { JobProcess } from "./job-process.ts";
import { programOf } from "./program.ts";

export interface ExecOptions {
  /** The program and its arguments, as given. */
  readonly words: readonly string[];
  /** Whether each line is a chunk. */
  readonly lines: boolean;
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly killGrace: number;
}

/** Runs each job as a process: the input is its standard input, the output is its standard output. */
export class ExecWork implements Work {
  readonly handler: Handler;
  readonly #options: ExecOptions;
  readonly #argv: readonly [string, ...string[]];
  readonly #clock = systemClock();
  readonly #running = new Set<JobProcess>();
  readonly #guard = new Guard();

  /** Throws CommandFault if there is no such program. */
  constructor(options: ExecOptions) {
    this.#options = options;
    this.#argv = programOf(options.words);
    this.handler = withSentences((job, context) =>
      options.lines ? Promise.resolve(this.#lines(job, context)) : this.#whole(job, context),
    );
  }

  /** The program was found when this object was created. */
  check(): Promise<void> {
    return Promise.resolve();
  }

  ready(): Promise<void> {
    return Promise.resolve();
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#running, (process) => process.stop()));
    await this.#guard.end();
  }

  async #whole(job: Job, context: JobContext): Promise<unknown> {
    await using directory = await makeJobDirectory(JSON.stringify(job.input));
    await using process = this.#begin(job, directory, context);
    const bytes = await readAll(process.output());
    await process.succeeded();
    return valueOfBytes(bytes, "");
  }

  async *#lines(job: Job, context: JobContext): AsyncGenerator {
    await using directory = await makeJobDirectory(JSON.stringify(job.input));
    await using process = this.#begin(job, directory, context);
    for await (const line of linesOf(process.output())) {
      if (line.trim() !== "") yield valueOf(line);
    }
    await process.succeeded();
  }

  #begin({ id, input }: Job, directory: JobDirectory, { signal }: JobContext): JobProcess {
    const start = {
      argv: this.#argv,
      workingDirectory: directory.work,
      environment: jobEnvironment(id, directory.inputFile),
      input: JSON.stringify(input),
      killGrace: this.#options.killGrace,
      onErrorLine: (line: string) => say(line, id),
    };
    const process = new JobProcess(start, this.#clock);
    this.#guarded(process);
    if (signal.aborted) void process.stop();
    else signal.addEventListener("abort", () => void process.stop());
    return process;
  }

  #guarded(process: JobProcess): void {
    const { group, gone } = process;
    this.#running.add(process);
    if (group !== undefined) void this.#guard.begun(group).then(() => process.run());
    void gone.then(() => this.#forget(process));
  }

  #forget(process: JobProcess): void {
    this.#running.delete(process);
    if (process.group !== undefined) this.#guard.gone(process.group);
  }
}

interface JobDirectory extends AsyncDisposable {
  /** The working directory: empty at first. */
  readonly work: string;
  /** The file with the input, in the parent directory. */
  readonly inputFile: string;
}

/** Creates the directory of a job. Disposing it deletes it. */
async function makeJobDirectory(input: string): Promise<JobDirectory> {
  const path = await mkdtemp(join(tmpdir(), "forebay-job-"));
  const directory = {
    work: join(path, "work"),
    inputFile: join(path, "input.json"),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
  await mkdir(directory.work);
  await writeFile(directory.inputFile, input);
  return directory;
}
