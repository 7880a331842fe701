import type { Clock } from "../../domain/clock.ts";
import { lineAllowance } from "../logs/line-allowance.ts";
import { type LineSplitter, lineSplitter } from "../logs/line-splitter.ts";
import { pauseFor } from "../logs/read-output.ts";
import type { OutputOfWorker, OutputStream, WorkerOutput } from "../worker-output.ts";
import type { DockerEngine } from "./docker-engine.ts";
import { EngineFault } from "./engine-fault.ts";
import { engineSecond } from "./engine-time.ts";
import { timedOutput } from "./timed-output.ts";

/** How long the last output of a worker that has ended may take to come, ms. */
const LAST_OUTPUT = 2_000;

export interface FollowedOutput {
  readonly engine: DockerEngine;
  readonly output: WorkerOutput;
  readonly clock: Clock;
}

/** Passes on what the containers of workers print, each line once, as long as they run. */
export function followOutput({ engine, output, clock }: FollowedOutput) {
  const followed = new Map<string, Promise<void>>();
  /** Up to when what each worker printed was read. */
  const readUntil = new Map<string, string>();
  const ending = new AbortController();

  async function read(worker: string, endpoint: string, container: string): Promise<void> {
    const own = output.of(endpoint, worker);
    const since = readUntil.get(worker) ?? (await own.lastAt());
    const query = {
      follow: "1",
      stdout: "1",
      stderr: "1",
      timestamps: "1",
      tail: "all",
      ...(since === undefined ? {} : { since: engineSecond(since) }),
    };
    const { signal } = ending;
    try {
      const path = `/containers/${container}/logs`;
      const answer = await engine.open({ method: "GET", path, query, signal });
      const lines = splitters(own, clock);
      const push = timedOutput((stream, piece, at) => {
        // The engine begins with what was printed in that second.
        if (at !== undefined && since !== undefined && at <= since) return;
        if (at !== undefined) readUntil.set(worker, at);
        lines[stream].push(piece, at);
      });
      answer.on("data", (data: Buffer) => {
        push(data);
        pauseFor(answer, output.budget.take(data.length), clock);
      });
      await new Promise<void>((resolve) => {
        // An engine that goes away has said all there is to say.
        answer.on("error", () => undefined);
        answer.on("close", () => resolve());
      });
      // The rest of a line whose follower ends with this server is read by the next one.
      if (!signal.aborted) for (const one of Object.values(lines)) one.end();
    } catch (error) {
      // It has ended meanwhile, or the engine is away: who finds it running asks again.
      if (!(error instanceof EngineFault)) throw error;
    }
  }

  return {
    /** From where it was read to, or from its begin; nothing when it is followed already. */
    follow(worker: string, endpoint: string, container: string): void {
      if (followed.has(worker) || ending.signal.aborted) return;
      followed.set(
        worker,
        read(worker, endpoint, container).finally(() => followed.delete(worker)),
      );
    },

    /** Resolves when all that the worker has printed is passed on, or does not come any more. */
    async read(worker: string): Promise<void> {
      const end = followed.get(worker);
      if (end === undefined) return;
      let cancel = (): void => undefined;
      const limit = new Promise<void>((resolve) => {
        cancel = clock.after(LAST_OUTPUT, resolve);
      });
      await Promise.race([end, limit]);
      cancel();
    },

    /** The worker is gone. */
    forget(worker: string, endpoint: string): void {
      readUntil.delete(worker);
      output.of(endpoint, worker).end();
    },

    close(): void {
      ending.abort();
    },
  };
}

function splitters(own: OutputOfWorker, clock: Clock): Record<OutputStream, LineSplitter> {
  const allowance = lineAllowance(clock);
  const onDropped = (lines: number): void => own.dropped(lines);
  const of = (stream: OutputStream): LineSplitter =>
    lineSplitter({ allowance, onDropped, onLine: (line, at) => own.line(stream, line, at) });
  return { stdout: of("stdout"), stderr: of("stderr") };
}
