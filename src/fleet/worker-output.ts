import type { ReadBudget } from "./logs/output-limits.ts";

/** Where what workers print goes. */
export interface WorkerOutput {
  /** How fast all that they print is read. */
  readonly budget: ReadBudget;
  /** For a worker that starts, or that was found running. */
  of(endpoint: string, worker: string): OutputOfWorker;
}

export type OutputStream = "stdout" | "stderr";

export interface OutputOfWorker {
  /** A line, without its end; `at` is when it was printed (RFC 3339), where what runs the worker tells. */
  line(stream: OutputStream, line: string, at?: string): void;
  /** So many lines were read and are not passed on. */
  dropped(lines: number): void;
  /** The `at` of the last line that was kept, before a restart too; undefined where there is none. */
  lastAt(): Promise<string | undefined>;
  /** Nothing more comes. */
  end(): void;
}

/** The same output, each line of which `onLine` hears as well. */
export function toldOutput(output: WorkerOutput, onLine: (line: string) => void): WorkerOutput {
  return {
    budget: output.budget,
    of(endpoint, worker) {
      const own = output.of(endpoint, worker);
      return {
        ...own,
        line(stream, line, at) {
          own.line(stream, line, at);
          onLine(line);
        },
      };
    },
  };
}
