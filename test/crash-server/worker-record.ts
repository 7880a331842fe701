import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Recorder } from "./recorder.ts";

/** The variable that names the directory in which workers write what they do, each in a file of its own. */
export const RECORDS_VARIABLE = "RECORDS";

/** A line of such a file. */
export type WorkerRecord = {
  /** As `wallTime` of the worker gives it. */
  readonly at: number;
  readonly id: string;
} & (
  | { readonly did: "got"; readonly endpoint: string; readonly tag: string }
  | { readonly did: "report"; readonly state: "COMPLETED" | "FAILED"; readonly digest: string }
);

/** So far apart the clocks of two processes can be, ms. */
const TOLERANCE = 500;

/** Adds what workers in processes of their own have written; the last line of a killed one may be cut. */
export function addWorkerRecords({ events, at: momentOf }: Recorder, directory: string): void {
  for (const worker of readdirSync(directory)) {
    for (const line of readFileSync(join(directory, worker), "utf8").split("\n").slice(0, -1)) {
      const { at, id, ...record } = JSON.parse(line) as WorkerRecord;
      const moment = momentOf(at);
      if (record.did === "got") {
        const { endpoint, tag } = record;
        events.push({ kind: "handOut", endpoint, id, tag, worker, from: 0, to: moment + TOLERANCE });
      } else {
        const { state, digest: result } = record;
        const from = Math.max(0, moment - TOLERANCE);
        events.push({ kind: "report", id, state, result, worker, outcome: "unknown", from, to: from });
      }
    }
  }
}
