import type { SubmitOptions } from "@forebay/worker/client";
import type { Flags } from "../command.ts";
import type { QueueCall } from "./queue-call.ts";

/** The flags of the commands that submit a job. */
export const SUBMISSION_FLAGS = {
  webhook: { type: "string", value: "<address>", help: "called at the end of the job" },
  ttl: { type: "string", value: "<ms>", help: "how long the job may take over queue and run" },
  "execution-timeout": { type: "string", value: "<ms>", help: "how long an attempt may run" },
  "low-priority": { type: "boolean", help: "the job does not make workers start" },
} as const satisfies Flags;

/** What their help says of the input. */
export const SUBMISSION_ABOUT = `The input is one of
  '{"name": "world"}'         an object as JSON
  name=world size:=3          pairs: text behind =, JSON behind :=
  @input.json                 a file
  -                           the standard input
and {} when there is none.`;

/** What the flags say beside the input. Throws CommandFault. */
export function submission(call: QueueCall): SubmitOptions {
  const webhook = call.text("webhook");
  const ttl = call.integer("ttl");
  const executionTimeout = call.integer("execution-timeout");
  return {
    ...(webhook === undefined ? {} : { webhook }),
    policy: {
      ...(ttl === undefined ? {} : { ttl }),
      ...(executionTimeout === undefined ? {} : { executionTimeout }),
      ...(call.isSet("low-priority") ? { lowPriority: true } : {}),
    },
  };
}
