import { JOB_STATES } from "../../domain/transitions.ts";
import type { Flags } from "../command.ts";
import type { ManageCall } from "../manage/manage-call.ts";

/** The flags that narrow a search for jobs (docs/find-jobs.md). */
export const JOB_FLAGS = {
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

/** The parameters of the query whose names differ from their flags. */
const PARAMETERS: Readonly<Record<string, string>> = { release: "version", "min-duration": "minDuration" };

/** The conditions of the call, as parameters of `GET /v1/jobs`; one with two values comes twice. */
export function conditionsOf(call: ManageCall): [name: string, value: string][] {
  return Object.keys(JOB_FLAGS).flatMap((flag) => {
    const values = call.texts(flag) ?? [call.text(flag) ?? []].flat();
    return values.map((value): [string, string] => [PARAMETERS[flag] ?? flag, value]);
  });
}
