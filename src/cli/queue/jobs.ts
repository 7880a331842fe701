import { errorCode } from "../../domain/errors.ts";
import type { FoundJobAnswer, FoundJobsAnswer } from "../../http/answers/found-job.ts";
import { CLIENT_FLAGS, type Command, type Flags } from "../command.ts";
import { type ManageCall, parseManageCall } from "../manage/manage-call.ts";
import { CommandFault } from "../command-fault.ts";
import { callServer } from "../server-call.ts";
import { durationText } from "../terminal/duration-text.ts";
import { type Column, printTable } from "../terminal/print.ts";
import { printMessage, shown } from "../terminal/terminal-text.ts";
import { conditionsOf, JOB_FLAGS } from "./job-flags.ts";
import { styleOf } from "./show-job.ts";

const COLUMNS: readonly Column<FoundJobAnswer>[] = [
  { title: "SUBMITTED", text: ({ submittedAt }) => submittedAt.replace(/\.\d+Z$/, "Z") },
  { title: "ID", text: ({ id }) => id },
  { title: "STATUS", text: ({ status }) => status, style: ({ status }) => styleOf(status) },
  { title: "ENDPOINT", text: ({ endpoint }) => endpoint, most: 24 },
  { title: "RAN", text: ({ executionTime: ms }) => (ms === undefined ? "" : durationText(ms)) },
  { title: "ERROR OR INPUT", text: firstWords, most: 60 },
  { title: "TAGS", text: ({ tags = [] }) => tags.join(" ") },
];

const FLAGS = {
  ...JOB_FLAGS,
  limit: { type: "string", value: "<number>", help: "maximum jobs; default: 100" },
  all: { type: "boolean", help: "all jobs, however many there are" },
  jsonl: { type: "boolean", help: "each job as one line of JSON, as soon as it is read" },
} as const satisfies Flags;

/** How many jobs one call returns at most. */
const PAGE = 1_000;

/** Lists jobs of all endpoints. */
export const jobs: Command = {
  about: `
Lists jobs of all endpoints, the newest first: waiting and running jobs, then
finished jobs. Finished jobs stay in the list as long as the server keeps its
history (--history of forebay serve).
`,
  flags: { ...FLAGS, ...CLIENT_FLAGS },
  examples: [
    "forebay jobs --error 'out of memory' --from 2026-01-31T14:00:00Z",
    "forebay jobs --tag nightly --min-duration 10s --json",
    "forebay jobs --state FAILED --all --jsonl > failed.jsonl",
  ],
  async run(args) {
    const call = parseManageCall(args, undefined, FLAGS);
    const limit = limitOf(call);
    if (call.isSet("jsonl")) return printLines(call, limit);
    const { answer, hasMore } = await foundJobs(call, limit);
    printTable(call.isJson, answer, answer.jobs, COLUMNS, "no jobs found");
    if (answer.historyMs === 0) {
      printMessage(
        "The server keeps no finished jobs (--history 0). The list has only waiting and running jobs.",
      );
    }
    if (hasMore)
      printMessage(`There are more jobs. Show more with --limit ${limit * 10}, or all with --all.`);
  },
};

function limitOf(call: ManageCall): number {
  const limit = call.integer("limit");
  if (!call.isSet("all")) return limit ?? 100;
  if (limit === undefined) return Infinity;
  throw new CommandFault("--all and --limit exclude each other. Leave one out.");
}

/** Prints each page before the next one is read. Ends quietly if the reader does. */
async function printLines(call: ManageCall, limit: number): Promise<void> {
  let left = limit;
  try {
    for await (const { jobs: page } of pagesOf(call, limit)) {
      const lines = page.slice(0, left).map((job) => `${shown(JSON.stringify(job))}\n`);
      left -= page.length;
      for (const line of lines) await written(line);
      if (left <= 0) return;
    }
  } catch (error) {
    if (errorCode(error) !== "EPIPE") throw error;
  }
}

/** Resolves when the reader has room for more. */
function written(line: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(line, (error) => (error ? reject(error) : resolve()));
  });
}

/** Reads until there are enough jobs, and one more to see whether another one follows. */
async function foundJobs(call: ManageCall, limit: number) {
  const found: FoundJobAnswer[] = [];
  let historyMs = 0;
  for await (const page of pagesOf(call, limit + 1)) {
    found.push(...page.jobs);
    historyMs = page.historyMs;
    if (found.length > limit) break;
  }
  return { answer: { jobs: found.slice(0, limit), historyMs }, hasMore: found.length > limit };
}

/** Page after page, none larger than `most`. */
async function* pagesOf(call: ManageCall, most: number): AsyncGenerator<FoundJobsAnswer> {
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams(conditionsOf(call));
    query.set("limit", String(Math.min(PAGE, Math.max(1, most))));
    if (cursor !== undefined) query.set("cursor", cursor);
    const path = `/v1/jobs?${query.toString()}`;
    const page: FoundJobsAnswer = await callServer<FoundJobsAnswer>(call.access, path, '{"jobs":');
    yield page;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}

/** The first line of the error, or else the beginning of the input. */
function firstWords({ error, inputStart = "" }: FoundJobAnswer): string {
  return error?.trimStart().split("\n")[0] ?? inputStart;
}
