import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { Clock } from "../../../domain/clock.ts";
import { errorCode } from "../../../domain/errors.ts";
import { killGroup } from "../../../fleet/process/kill-group.ts";
import { readLines } from "../../../fleet/read-lines.ts";
import { JobFailure } from "../job-failure.ts";

export interface JobProcessStart {
  readonly argv: readonly [program: string, ...args: string[]];
  readonly workingDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Its standard input. */
  readonly input: string;
  /** From SIGTERM to SIGKILL, ms. */
  readonly killGrace: number;
  readonly onErrorLine: (line: string) => void;
}

/** How much of the standard error goes into the error of a job, characters. */
const TAIL = 2_000;

/**
 * Runs in the process before it becomes the program. The program starts only when it is let, and never if the
 * worker has ended before that.
 */
const PREAMBLE = 'read -r let && exec "$@"';

/** A program that runs for one job, as the leader of its own process group. It starts when it is let. */
export class JobProcess implements AsyncDisposable {
  readonly #start: JobProcessStart;
  readonly #clock: Clock;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #ended: Promise<string>;
  readonly #gone = Promise.withResolvers<void>();
  #isStopping = false;
  /** Cancels the planned SIGKILL. */
  #takeBack: (() => void) | undefined = undefined;
  #isRunning = true;
  /** Whether somebody waits for output, and how often that changed. */
  #isAwaited = false;
  #turns = 0;
  #errorTail = "";

  constructor(start: JobProcessStart, clock: Clock) {
    this.#start = start;
    this.#clock = clock;
    this.#child = spawn("/bin/sh", ["-c", PREAMBLE, "forebay", ...start.argv], {
      cwd: start.workingDirectory,
      env: start.environment,
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#ended = this.#untilEnd();
    // A program need not read its input.
    this.#child.stdin.on("error", () => undefined);
    readLines(this.#child.stderr, (line) => this.#hear(line));
  }

  /** Id of its group; undefined if it could not be started. */
  get group(): number | undefined {
    return this.#child.pid;
  }

  /** Lets the program run. */
  run(): void {
    this.#child.stdin.end(`\n${this.#start.input}`);
  }

  /** Resolves when no process of its group runs. */
  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  /** Its standard output. */
  async *output(): AsyncGenerator<Uint8Array, void> {
    try {
      this.#turn(true);
      for await (const piece of this.#child.stdout) {
        this.#turn(false);
        yield piece;
        this.#turn(true);
      }
    } catch (error) {
      // If it has ended, and a process outside its group keeps the output open, the output is cut off.
      if (errorCode(error) !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
    }
  }

  /** Resolves when it has exited with code 0. Otherwise throws JobFailure. */
  async succeeded(): Promise<void> {
    // By then the standard error is complete.
    await this.#gone.promise;
    const ending = await this.#ended;
    if (ending === "exit code 0") return;
    const tail = this.#errorTail.trim();
    throw new JobFailure(`${this.#start.argv[0]} ended with ${ending}${tail === "" ? "." : `: ${tail}`}`);
  }

  /** Sends SIGTERM to the whole group, and SIGKILL after the grace. Resolves when none of it runs. */
  async stop(): Promise<void> {
    if (this.#isRunning && !this.#isStopping) {
      this.#isStopping = true;
      this.#signal("SIGTERM");
      this.#planCutOff();
    }
    await this.#gone.promise;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #untilEnd(): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    this.#child.on("exit", (code, signal) => {
      // Kills what the program left behind, unless a stop gives it a grace.
      if (!this.#isStopping) this.#signal("SIGKILL");
      this.#planCutOff();
      resolve(signal === null ? `exit code ${code}` : `signal ${signal}`);
    });
    this.#child.on("close", () => {
      this.#takeBack?.();
      this.#signal("SIGKILL");
      this.#isRunning = false;
      this.#gone.resolve();
    });
    this.#child.on("error", (error) => {
      this.#isRunning = false;
      resolve(`a fault before it ran (${error.message})`);
      this.#gone.resolve();
    });
    return promise;
  }

  /** After the grace nothing of the group runs, and no process outside it keeps the pipes open. */
  #planCutOff(): void {
    this.#takeBack ??= this.#clock.after(this.#start.killGrace, () => {
      this.#signal("SIGKILL");
      this.#child.stderr.destroy();
      this.#cutOff(this.#turns - 1);
    });
  }

  /**
   * What was printed is read first, however long that takes. Only a reader that waits for nothing is cut off.
   */
  #cutOff(turnsBefore: number): void {
    const isInVain = this.#isAwaited && this.#turns === turnsBefore;
    if (this.#isStopping || isInVain) this.#child.stdout.destroy();
    else {
      const turns = this.#turns;
      this.#takeBack = this.#clock.after(this.#start.killGrace, () => this.#cutOff(turns));
    }
  }

  #turn(isAwaited: boolean): void {
    this.#isAwaited = isAwaited;
    this.#turns++;
  }

  #signal(signal: "SIGTERM" | "SIGKILL"): void {
    if (this.#child.pid !== undefined && this.#isRunning) killGroup(this.#child.pid, signal);
  }

  #hear(line: string): void {
    this.#errorTail = `${this.#errorTail}${line}\n`.slice(-TAIL);
    this.#start.onErrorLine(line);
  }
}
