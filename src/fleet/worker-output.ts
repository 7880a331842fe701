import type { ReadBudget } from "./logs/output-limits.ts";

/** Where the output of workers goes. */
export interface WorkerOutput {
  /** Limits how fast the output of all workers is read. */
  readonly budget: ReadBudget;
  /** For a worker that starts, or that was found running. */
  of(endpoint: string, worker: string): OutputOfWorker;
}

export type OutputStream = "stdout" | "stderr";

export interface OutputOfWorker {
  /** A line without its end. `at` is when it was printed (RFC 3339), if the provider knows it. */
  line(stream: OutputStream, line: string, at?: string): void;
  /** This many lines were read and dropped. */
  dropped(lines: number): void;
  /** The `at` of the last line that was kept, also before a restart; undefined if there is none. */
  lastAt(): Promise<string | undefined>;
  /** No more output arrives. */
  end(): void;
}

/** The same output, which also passes each line to `onLine`. */
export function outputWithListener(output: WorkerOutput, onLine: (line: string) => void): WorkerOutput {
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
