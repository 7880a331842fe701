import { CLIENT_FLAGS, type Command, type Flags } from "../command.ts";
import type { JobRequest, JobStatus } from "@forebay/worker/client";
import { JOB_STATES } from "../../domain/transitions.ts";
import { CommandFault } from "../command-fault.ts";
import { durationText } from "../terminal/duration-text.ts";
import { type Column, table } from "../terminal/print.ts";
import { widthOf } from "../terminal/terminal-text.ts";
import { parseQueueCall } from "./queue-call.ts";
import { shellWord } from "../parse-words.ts";

const COLUMNS: readonly Column<JobRequest>[] = [
  { title: "ID", text: ({ id }) => id },
  { title: "STATUS", text: ({ status }) => status },
  { title: "WAITED", text: ({ delayTime }) => timeText(delayTime) },
  { title: "RAN", text: ({ executionTime }) => timeText(executionTime) },
  { title: "LOST", text: ({ retries }) => String(retries ?? 0) },
  { title: "WORKER", text: ({ workerId }) => workerId ?? "" },
];

const FLAGS = {
  status: { type: "string", value: "<state>", help: "only jobs in this state, such as FAILED" },
  limit: { type: "string", value: "<number>", help: "how many, up to 1000; default: 100" },
  cursor: { type: "string", value: "<cursor>", help: "continue where the previous list ended" },
} as const satisfies Flags;

/** Lists the stored jobs, newest first. */
export const requests: Command = {
  words: "<endpoint>",
  about: `
Lists the jobs, the newest first: waiting and running ones, and ended ones whose
result is kept.
`,
  flags: { ...FLAGS, ...CLIENT_FLAGS },
  examples: ["forebay requests hello", "forebay requests hello --status FAILED --limit 20"],
  async run(args) {
    const call = parseQueueCall(args, ["endpoint"], FLAGS);
    const status = parseStatus(call.text("status"));
    const page = await call.endpoint.requests({
      status,
      limit: call.integer("limit"),
      cursor: call.text("cursor"),
    });
    if (call.isJson) console.log(JSON.stringify(page));
    else if (page.requests.length === 0) console.log(nothingText(status, page.nextCursor));
    else console.log(table(page.requests, COLUMNS, widthOf(process.stdout)));
    if (!call.isJson && page.nextCursor !== undefined) {
      const flags = status === undefined ? "" : `--status ${status} `;
      console.log(
        `There are more: forebay requests ${shellWord(call.endpoint.id)} ${flags}--cursor ${page.nextCursor}`,
      );
    }
  },
};

/** The server searches a limited number of ended jobs for one page. */
function nothingText(status: JobStatus | undefined, nextCursor: string | undefined): string {
  const which = status === undefined ? "no job" : `no job that is ${status}`;
  return nextCursor === undefined ? which : `${which} among those checked`;
}

function parseStatus(given: string | undefined): JobStatus | undefined {
  const status = JOB_STATES.find((state) => state === given);
  if (status !== undefined || given === undefined) return status;
  throw new CommandFault(`--status must be one of ${JOB_STATES.join(", ")}, got ${JSON.stringify(given)}.`);
}

function timeText(ms: number | undefined): string {
  return ms === undefined ? "" : durationText(ms);
}
