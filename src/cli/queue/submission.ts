import type { SubmitOptions } from "@forebay/worker/client";
import type { QueueCall } from "./queue-call.ts";

/** The flags of the commands that submit a job. */
export const SUBMISSION_FLAGS = {
  webhook: { type: "string" },
  ttl: { type: "string" },
  "execution-timeout": { type: "string" },
  "low-priority": { type: "boolean" },
} as const;

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
