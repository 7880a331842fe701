import type { IncomingMessage } from "node:http";
import type { Clock } from "../../domain/clock.ts";
import { lineAllowance } from "../logs/output-limits.ts";
import { type LineSplitter, lineSplitter, pauseFor } from "../logs/line-splitter.ts";
import type { OutputOfWorker, OutputStream, WorkerOutput } from "../worker-output.ts";
import { type DockerEngine, EngineFault } from "./docker-engine.ts";
import { engineSecond, timedOutput } from "./container-output.ts";

/** How long to wait for the last output of a worker that has ended, ms. */
const LAST_OUTPUT = 2_000;

interface FollowedOutput {
  readonly engine: DockerEngine;
  readonly output: WorkerOutput;
  readonly clock: Clock;
}

/** Passes on what the containers of workers print while they run, each line once. */
export class OutputFollower {
  readonly #options: FollowedOutput;
  readonly #followed = new Map<string, Promise<void>>();
  /** By worker: the time of the last piece that was read. */
  readonly #readUntil = new Map<string, string>();
  readonly #ending = new AbortController();

  constructor(options: FollowedOutput) {
    this.#options = options;
  }

  /** Reads on from where it stopped, or from the beginning. A worker is followed once. */
  follow(worker: string, endpoint: string, container: string): void {
    if (this.#followed.has(worker) || this.#ending.signal.aborted) return;
    this.#followed.set(
      worker,
      this.#read(worker, endpoint, container).finally(() => this.#followed.delete(worker)),
    );
  }

  /** Resolves when all output of the worker is passed on, or after LAST_OUTPUT. */
  async read(worker: string): Promise<void> {
    const end = this.#followed.get(worker);
    if (end === undefined) return;
    let cancel = (): void => undefined;
    const limit = new Promise<void>((resolve) => {
      cancel = this.#options.clock.after(LAST_OUTPUT, resolve);
    });
    await Promise.race([end, limit]);
    cancel();
  }

  /** The worker is gone. */
  forget(worker: string, endpoint: string): void {
    this.#readUntil.delete(worker);
    this.#options.output.of(endpoint, worker).end();
  }

  close(): void {
    this.#ending.abort();
  }

  async #read(worker: string, endpoint: string, container: string): Promise<void> {
    const own = this.#options.output.of(endpoint, worker);
    const since = this.#readUntil.get(worker) ?? (await own.lastAt());
    const query = {
      follow: "1",
      stdout: "1",
      stderr: "1",
      timestamps: "1",
      tail: "all",
      ...(since === undefined ? {} : { since: engineSecond(since) }),
    };
    const { signal } = this.#ending;
    try {
      const path = `/containers/${container}/logs`;
      const answer = await this.#options.engine.open({ method: "GET", path, query, signal });
      await this.#passOn(answer, worker, own, since);
    } catch (error) {
      // The container has ended meanwhile, or the engine is away. The next look follows it again.
      if (!(error instanceof EngineFault)) throw error;
    }
  }

  /** Resolves when the answer ends. */
  async #passOn(
    answer: IncomingMessage,
    worker: string,
    own: OutputOfWorker,
    since: string | undefined,
  ): Promise<void> {
    const { output, clock } = this.#options;
    const lines = splitters(own, clock);
    const push = timedOutput((stream, piece, at) => {
      // The engine begins with what was printed in that second.
      if (at !== undefined && since !== undefined && at <= since) return;
      if (at !== undefined) this.#readUntil.set(worker, at);
      lines[stream].push(piece, at);
    });
    answer.on("data", (data: Buffer) => {
      push(data);
      pauseFor(answer, output.budget.take(data.length), clock);
    });
    await new Promise<void>((resolve) => {
      // A broken answer ends like any other: there is no more to read.
      answer.on("error", () => undefined);
      answer.on("close", () => resolve());
    });
    // If this server stops, the next one reads the rest of the line.
    if (!this.#ending.signal.aborted) for (const one of Object.values(lines)) one.end();
  }
}

function splitters(own: OutputOfWorker, clock: Clock): Record<OutputStream, LineSplitter> {
  const allowance = lineAllowance(clock);
  const onDropped = (lines: number): void => own.dropped(lines);
  const of = (stream: OutputStream): LineSplitter =>
    lineSplitter({ allowance, onDropped, onLine: (line, at) => own.line(stream, line, at) });
  return { stdout: of("stdout"), stderr: of("stderr") };
}
