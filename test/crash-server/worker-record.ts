import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Recorder } from "./recorder.ts";

/** The variable that names the directory in which workers write what they do, each in a file of its own. */
export const RECORDS_VARIABLE = "RECORDS";

/** A line of such a file. */
export type WorkerRecord =
  | { readonly did: "got"; readonly endpoint: string; readonly id: string; readonly tag: string }
  | {
      readonly did: "report";
      readonly id: string;
      readonly state: "COMPLETED" | "FAILED";
      readonly digest: string;
    };

/** Adds what workers in processes of their own have written; the last line of a killed one may be cut. */
export function addWorkerRecords({ history }: Recorder, directory: string): void {
  for (const name of readdirSync(directory)) {
    for (const line of readFileSync(join(directory, name), "utf8").split("\n").slice(0, -1)) {
      const record = JSON.parse(line) as WorkerRecord;
      if (record.did === "got") history.handOuts.push(record);
      else history.results.push(record);
    }
  }
}
