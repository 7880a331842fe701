import type { WorkerLogs } from "../../src/domain/log.ts";
import type { ReadBudget } from "../../src/fleet/logs/output-limits.ts";
import type { OutputOfWorker, OutputStream, WorkerOutput } from "../../src/fleet/worker-output.ts";

export interface PrintedLine {
  readonly worker: string;
  readonly stream: OutputStream;
  readonly line: string;
  readonly at: string | undefined;
}

/** Keeps what workers print, over a restart of their provider too. */
export class MemoryOutput implements WorkerOutput {
  readonly budget: ReadBudget;
  readonly lines: PrintedLine[] = [];
  readonly ended: string[] = [];
  dropped = 0;

  constructor(budget: ReadBudget = { take: () => 0 }) {
    this.budget = budget;
  }

  of = (_endpoint: string, worker: string): OutputOfWorker => ({
    line: (stream, line, at) => void this.lines.push({ worker, stream, line, at }),
    dropped: (lines) => void (this.dropped += lines),
    lastAt: async () => this.lines.findLast((line) => line.worker === worker)?.at,
    end: () => void this.ended.push(worker),
  });

  /** The lines of a worker. */
  printed(worker: string): string[] {
    return this.lines.flatMap((one) => (one.worker === worker ? [one.line] : []));
  }
}

/** Where no worker is started. */
export const NO_WORKER_LOGS: WorkerLogs = {
  has: () => false,
  async *read() {
    // There is nothing.
  },
};
