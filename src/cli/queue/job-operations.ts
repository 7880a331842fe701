import type { JobOperationAnswer, JobOperationsAnswer } from "../../http/answers/job-operation.ts";
import { CLIENT_FLAGS, type Command } from "../command.ts";
import { checkedId, parseManageCall } from "../manage/manage-call.ts";
import { callServer } from "../server-call.ts";
import {
  type Column,
  green,
  plain,
  printRecord,
  printTable,
  red,
  type Style,
  yellow,
} from "../terminal/print.ts";

type Listed = JobOperationsAnswer["operations"][number];

const COLUMNS: readonly Column<Listed>[] = [
  { title: "CREATED", text: ({ createdAt }) => createdAt.replace(/\.\d+Z$/, "Z") },
  { title: "ID", text: ({ id }) => id },
  { title: "ACTION", text: ({ action }) => action },
  { title: "STATE", text: ({ state }) => state, style: ({ state }) => STYLES[state] },
  { title: "JOBS", text: ({ matches }) => String(matches) },
  { title: "DONE", text: ({ done }) => String(done) },
  { title: "FAILED", text: ({ failed }) => String(failed) },
  { title: "SKIPPED", text: ({ skipped }) => String(skipped) },
];

const STYLES: Readonly<Record<Listed["state"], Style>> = {
  RUNNING: plain,
  COMPLETED: green,
  CANCELLED: yellow,
  FAILED: red,
};

/** Lists the actions on many jobs. */
export const listOperations: Command = {
  about: `
Lists the actions on many jobs (forebay jobs retry, resubmit and cancel), the
newest first. Ended ones are kept for a day.
`,
  flags: CLIENT_FLAGS,
  examples: ["forebay jobs operations"],
  async run(args) {
    const { access, isJson } = parseManageCall(args, undefined);
    const answer = await callServer<JobOperationsAnswer>(access, "/v1/job-operations", '{"operations":');
    printTable(isJson, answer, answer.operations, COLUMNS, "no operations");
  },
};

/** Stops an action on many jobs. */
export const stopOperation: Command = {
  words: "<operation>",
  about: `
Stops an action on many jobs. What it has done stays done.
`,
  flags: CLIENT_FLAGS,
  examples: ["forebay jobs stop 4kd82hx0qpz7ma"],
  async run(args) {
    const { access, isJson, word } = parseManageCall(args, "id of the operation");
    const id = checkedId("an operation", word, "forebay jobs operations shows them.");
    const path = `/v1/job-operations/${id}/cancel`;
    showOperation(await callServer<JobOperationAnswer>(access, path, '{"id":', {}), isJson);
  },
};

/** Prints an operation, and why jobs failed. */
export function showOperation(operation: JobOperationAnswer, isJson: boolean): void {
  const { id, action, state, matches, done, failed, skipped, reason, errors } = operation;
  printRecord(isJson, operation, {
    operation: id,
    action,
    state,
    reason,
    jobs: String(matches),
    done: String(done),
    failed: String(failed),
    skipped: String(skipped),
    errors: errors.map((error) => `${error.id}: ${error.message}`).join("\n"),
  });
}
