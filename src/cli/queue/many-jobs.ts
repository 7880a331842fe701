import { createInterface } from "node:readline/promises";
import { errorCode } from "../../domain/errors.ts";
import type { JobAction } from "../../domain/job-operation.ts";
import type { ActionCountAnswer, JobOperationAnswer } from "../../http/answers/job-operation.ts";
import { CommandFault, Interrupted } from "../command-fault.ts";
import { CLIENT_FLAGS, type Command, type Flags } from "../command.ts";
import { type ManageCall, parseManageCall } from "../manage/manage-call.ts";
import { callServer } from "../server-call.ts";
import { printJson } from "../terminal/print.ts";
import { printMessage } from "../terminal/terminal-text.ts";
import { watchUntil } from "../watch-until.ts";
import { conditionsOf, JOB_FLAGS } from "./job-flags.ts";
import { showOperation } from "./job-operations.ts";

const FLAGS = {
  ...JOB_FLAGS,
  "dry-run": { type: "boolean", help: "only count the jobs" },
  yes: { type: "boolean", help: "do not ask before it starts" },
  "no-wait": { type: "boolean", help: "print the operation, and do not wait for its end" },
} as const satisfies Flags;

const HOW = `
Needs at least one condition, with the flags of forebay jobs. First counts the
jobs and asks. Then it shows the progress until the end; Ctrl-C stops waiting,
and the server continues. Exit code 1 if a job failed or the operation was
stopped.
`;

/** Retries the jobs that match. */
export const retryJobs = onMany("retry", "retried", "Retries all jobs that match and can be retried.");

/** Submits the jobs that match once more, as new jobs. */
export const resubmitJobs = onMany(
  "resubmit",
  "resubmitted",
  "Submits all jobs that match as new jobs, with the same input and policy.",
);

/** Cancels the jobs that match. */
export const cancelJobs = onMany("cancel", "cancelled", "Cancels all jobs that match and wait or run.");

function onMany(action: JobAction, done: string, about: string): Command {
  return {
    about: `\n${about}${HOW}`,
    flags: { ...FLAGS, ...CLIENT_FLAGS },
    examples: [
      `forebay jobs ${action} --${action === "cancel" ? "tag nightly" : "error 'out of memory'"} --yes`,
    ],
    async run(args) {
      const call = parseManageCall(args, undefined, FLAGS);
      const path = `/v1/jobs/${action}`;
      const filter = filterOf(call);
      const body = { filter, dryRun: true };
      const count = await callServer<ActionCountAnswer>(call.access, path, '{"action":', body);
      if (call.isSet("dry-run") && call.isJson) return printJson(count);
      const sentence = countText(count, done);
      if (call.isSet("dry-run")) return console.log(sentence);
      // With more jobs than were counted, others can be eligible.
      if (count.eligible === 0 && count.isWhole) return nothing(call, count, sentence);
      printMessage(sentence);
      if (!call.isSet("yes") && !(await confirmed(`Shall these jobs be ${done}?`))) return;
      const begun = await callServer<JobOperationAnswer>(call.access, path, '{"id":', { filter });
      const operation = call.isSet("no-wait") ? begun : await atEnd(call, begun);
      const { state, failed } = operation;
      if (failed > 0 || state === "FAILED" || state === "CANCELLED") process.exitCode = 1;
      showOperation(operation, call.isJson);
    },
  };
}

function nothing(call: ManageCall, count: ActionCountAnswer, sentence: string): void {
  if (call.isJson) printJson(count);
  else console.log(sentence);
}

/** The conditions as members of the body. Throws CommandFault if there are none. */
function filterOf(call: ManageCall): Record<string, string | number | string[]> {
  const conditions = conditionsOf(call);
  if (conditions.length === 0) {
    throw new CommandFault("name at least one condition, such as --state, --endpoint or --tag. See --help.");
  }
  const states = conditions.flatMap(([name, value]) => (name === "state" ? value.split(",") : []));
  const others = Object.fromEntries(conditions.filter(([name]) => name !== "state"));
  return states.length === 0 ? others : { ...others, state: states };
}

/** `31 jobs match. 29 can be retried. 2 cannot: 2 JOB_NOT_FOUND.` */
function countText({ matches, eligible, skipped, isWhole }: ActionCountAnswer, done: string): string {
  const reasons = Object.entries(skipped).map(([reason, count]) => `${count} ${reason}`);
  const rest = reasons.length === 0 ? "" : ` ${matches - eligible} cannot: ${reasons.join(", ")}.`;
  const head = `${matches}${isWhole ? "" : " or more"} ${matches === 1 ? "job matches" : "jobs match"}.`;
  return `${head} ${eligible}${isWhole ? "" : " or more"} can be ${done}.${rest}`;
}

async function atEnd({ access }: ManageCall, begun: JobOperationAnswer): Promise<JobOperationAnswer> {
  let operation = begun;
  const goOn = `The operation continues. To stop it: forebay jobs stop ${begun.id}`;
  await watchUntil(goOn, async () => {
    const path = `/v1/job-operations/${begun.id}`;
    operation = await callServer<JobOperationAnswer>(access, path, '{"id":');
    const { state, matches, done, failed, skipped } = operation;
    return state === "RUNNING" ? `${done + failed + skipped} of ${matches} jobs` : undefined;
  });
  return operation;
}

/**
 * Asks in the terminal; only `y` and `yes` are a yes. Throws CommandFault if nobody can answer, and
 * Interrupted for Ctrl-C and Ctrl-D.
 */
async function confirmed(question: string): Promise<boolean> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) {
    throw new CommandFault("nobody can be asked, because the standard input is no terminal. Add --yes.");
  }
  const stopping = new AbortController();
  const lines = createInterface({ input: stdin, output: stderr });
  lines.on("SIGINT", () => stopping.abort());
  try {
    const answer = await lines.question(`${question} [y/N] `, { signal: stopping.signal });
    return /^y(es)?$/i.test(answer.trim());
  } catch (error) {
    if (stopping.signal.aborted || errorCode(error) === "ABORT_ERR") {
      throw new Interrupted("Nothing was done.");
    }
    throw error;
  } finally {
    lines.close();
  }
}
