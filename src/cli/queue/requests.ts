import type { JobRequest, UnfinishedStatus } from "@forebay/worker/client";
import { UNFINISHED_STATES } from "../../domain/transitions.ts";
import { CommandFault } from "../command-fault.ts";
import { durationText } from "../terminal/duration-text.ts";
import { type Column, table } from "../terminal/table.ts";
import { widthOf } from "../terminal/width-of.ts";
import { parseQueueCall } from "./queue-call.ts";

const COLUMNS: readonly Column<JobRequest>[] = [
  { title: "ID", text: ({ id }) => id },
  { title: "STATUS", text: ({ status }) => status },
  { title: "WAITED", text: ({ delayTime }) => timeText(delayTime) },
  { title: "RAN", text: ({ executionTime }) => timeText(executionTime) },
  { title: "LOST", text: ({ retries }) => String(retries ?? 0) },
  { title: "WORKER", text: ({ workerId }) => workerId ?? "" },
];

/** Lists the jobs that wait and run, the newest first. */
export async function requests(args: string[]): Promise<void> {
  const text = { type: "string" } as const;
  const call = parseQueueCall(args, ["endpoint"], { status: text, limit: text, cursor: text });
  const page = await call.endpoint.requests({
    status: parseStatus(call.text("status")),
    limit: call.integer("limit"),
    cursor: call.text("cursor"),
  });
  if (call.isJson) console.log(JSON.stringify(page));
  else if (page.requests.length === 0) console.log("no job waits or runs");
  else console.log(table(page.requests, COLUMNS, widthOf(process.stdout)));
  if (!call.isJson && page.nextCursor !== undefined) {
    console.log(`There are more: forebay requests ${call.endpoint.id} --cursor ${page.nextCursor}`);
  }
}

function parseStatus(given: string | undefined): UnfinishedStatus | undefined {
  const status = UNFINISHED_STATES.find((state) => state === given);
  if (status !== undefined || given === undefined) return status;
  throw new CommandFault(`--status must be ${UNFINISHED_STATES.join(" or ")}, got ${JSON.stringify(given)}.`);
}

function timeText(ms: number | undefined): string {
  return ms === undefined ? "" : durationText(ms);
}
