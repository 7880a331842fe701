import type { WorkerOutput } from "../worker-output.ts";

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
