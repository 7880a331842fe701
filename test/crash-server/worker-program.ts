// A worker with the worker library, in the protocol that its environment names. Before it does something
// with a job it writes that down, so that the record survives a kill.
import { openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import * as serverless from "@forebay/worker";
import { digestOf } from "./history.ts";
import type { JobInput } from "./job-input.ts";
import { RECORDS_VARIABLE, type WorkerRecord } from "./worker-record.ts";

const endpoint = process.env["RUNPOD_ENDPOINT_ID"] ?? "";
const name = crypto.randomUUID();
const records = openSync(join(process.env[RECORDS_VARIABLE] ?? "", name), "a");
let reports = 0;

async function work(
  { id, input }: serverless.Job<JobInput>,
  { signal }: serverless.JobContext,
): Promise<unknown> {
  record({ did: "got", endpoint, id, tag: input.tag });
  await pause(input.work, undefined, { signal });
  // No two reports are alike.
  const by = `${name}/${reports++}`;
  if (input.fails) {
    record({ did: "report", id, state: "FAILED", digest: digestOf(by) });
    return { error: by };
  }
  const output = { by, filler: "o".repeat(input.outputFiller) };
  record({ did: "report", id, state: "COMPLETED", digest: digestOf(output) });
  return output;
}

function record(entry: WorkerRecord): void {
  writeSync(records, `${JSON.stringify(entry)}\n`);
}

await serverless.start({ handler: work, concurrency: 3 });
