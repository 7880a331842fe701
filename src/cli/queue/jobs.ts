import { JOB_STATES } from "../../domain/transitions.ts";
import type { FoundJobAnswer, FoundJobsAnswer } from "../../http/answers/found-job.ts";
import { CLIENT_FLAGS, type Command, type Flags } from "../command.ts";
import { type ManageCall, parseManageCall } from "../manage/manage-call.ts";
import { callServer } from "../server-call.ts";
import { durationText } from "../terminal/duration-text.ts";
import { type Column, printTable } from "../terminal/print.ts";
import { printMessage } from "../terminal/terminal-text.ts";
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

/** The flags that narrow the search, and the parameters of the query that they are. */
const FILTERS = {
  state: {
    type: "string",
    multiple: true,
    value: "<states>",
    help: `only jobs in these states: ${JOB_STATES.join(", ")}`,
  },
  endpoint: { type: "string", value: "<endpoint>", help: "only jobs of this endpoint, by id or name" },
  from: {
    type: "string",
    value: "<time>",
    help: "only jobs that ended at or after this time: 2026-01-31T12:00:00Z",
  },
  to: { type: "string", value: "<time>", help: "only jobs that ended before this time" },
  worker: { type: "string", value: "<id>", help: "only jobs that this worker ran last" },
  release: { type: "string", value: "<version>", help: "only jobs of workers of this version" },
  error: { type: "string", value: "<text>", help: "only jobs with this text in their error" },
  id: { type: "string", value: "<start>", help: "only jobs whose ids start with this text" },
  tag: { type: "string", value: "<tag>", help: "only jobs with this tag" },
  "min-duration": {
    type: "string",
    value: "<duration>",
    help: "only jobs that ran at least this long: 500ms, 10s, 5m, 1h",
  },
} as const satisfies Flags;

const PARAMETERS: Readonly<Record<string, string>> = { release: "version", "min-duration": "minDuration" };

const FLAGS = {
  ...FILTERS,
  limit: { type: "string", value: "<number>", help: "maximum jobs; default: 100" },
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
  ],
  async run(args) {
    const call = parseManageCall(args, undefined, FLAGS);
    const limit = call.integer("limit") ?? 100;
    const { answer, hasMore } = await foundJobs(call, limit);
    printTable(call.isJson, answer, answer.jobs, COLUMNS, "no jobs found");
    if (answer.historyMs === 0) {
      printMessage(
        "The server keeps no finished jobs (--history 0). The list has only waiting and running jobs.",
      );
    }
    if (hasMore) printMessage(`There are more jobs. Show more with --limit ${limit * 10}.`);
  },
};

/** Reads page after page, until there are enough jobs, and one more to see whether another one follows. */
async function foundJobs(call: ManageCall, limit: number) {
  const found: FoundJobAnswer[] = [];
  let page: FoundJobsAnswer;
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams(given(call));
    query.set("limit", String(Math.min(PAGE, limit + 1 - found.length)));
    if (cursor !== undefined) query.set("cursor", cursor);
    page = await callServer<FoundJobsAnswer>(call.access, `/v1/jobs?${query.toString()}`, '{"jobs":');
    found.push(...page.jobs);
    cursor = page.nextCursor;
  } while (cursor !== undefined && found.length <= limit);
  const { historyMs } = page;
  return { answer: { jobs: found.slice(0, limit), historyMs }, hasMore: found.length > limit };
}

function given(call: ManageCall): [name: string, value: string][] {
  return Object.keys(FILTERS).flatMap((flag) => {
    const values = call.texts(flag) ?? [call.text(flag) ?? []].flat();
    return values.map((value): [string, string] => [PARAMETERS[flag] ?? flag, value]);
  });
}

/** The first line of the error, or else the beginning of the input. */
function firstWords({ error, inputStart = "" }: FoundJobAnswer): string {
  return error?.trimStart().split("\n")[0] ?? inputStart;
}
