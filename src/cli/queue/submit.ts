import type { SubmitOptions } from "@forebay/worker/client";
import { durationOrMillisecondsOf } from "../duration-of.ts";
import { CLIENT_FLAGS, type Command, type Flags } from "../command.ts";
import { parseQueueCall, type QueueCall, readInput } from "./queue-call.ts";
import { showJob, showTicket } from "./show-job.ts";
import { waitForEnd } from "./wait-for-end.ts";

/** The flags of the commands that submit a job. */
export const SUBMISSION_FLAGS = {
  webhook: { type: "string", value: "<address>", help: "an address to call when the job ends" },
  ttl: { type: "string", value: "<time>", help: "TTL of the job, in the queue and running: 24h" },
  "execution-timeout": { type: "string", value: "<time>", help: "execution timeout of an attempt: 10m" },
  tag: { type: "string", multiple: true, value: "<tag>", help: "a tag to find the job by; can be repeated" },
  "low-priority": { type: "boolean", help: "the job starts no workers" },
} as const satisfies Flags;

/** The help of the input. */
export const SUBMISSION_ABOUT = `The input is one of
  '{"name": "world"}'         an object as JSON
  name=world size:=3          pairs: text after =, JSON after :=
  @input.json                 a file
  -                           the standard input
Default: {}`;

/** Submits a job, and does not wait for it. */
export const run: Command = {
  words: "<endpoint> [input]",
  about: `
Submits a job and prints its id, without waiting for it. The result is kept for
30 minutes after the end.

${SUBMISSION_ABOUT}
`,
  flags: { ...SUBMISSION_FLAGS, ...CLIENT_FLAGS },
  examples: ["forebay run hello name=Ada", "forebay run chat @input.json --ttl 1m --low-priority"],
  async run(args) {
    const call = parseQueueCall(args, ["endpoint", "input"], SUBMISSION_FLAGS);
    const options = submission(call);
    showTicket(await call.endpoint.run(await readInput(call.rest), options), call.isJson);
  },
};

/** Submits a job and waits until it has ended. */
export const runsync: Command = {
  words: "<endpoint> [input]",
  about: `
Submits a job, waits until it ends and prints its record. Ctrl-C stops waiting;
the job continues.
Exit code 1 if the job failed, was cancelled or timed out, 2 for other faults.

${SUBMISSION_ABOUT}
`,
  flags: { ...SUBMISSION_FLAGS, ...CLIENT_FLAGS },
  examples: [
    "forebay runsync hello name=Ada",
    `forebay runsync chat '{"prompt": "Why is the sky blue?"}' --json`,
  ],
  async run(args) {
    const call = parseQueueCall(args, ["endpoint", "input"], SUBMISSION_FLAGS);
    const { endpoint } = call;
    const options = submission(call);
    const input = await readInput(call.rest);
    // Reports a wrong address at once. From here on, the server may be away for a while.
    await endpoint.health();
    const job = await waitForEnd(call.access, endpoint.id, undefined, (wait) =>
      endpoint.runSync(input, { ...options, ...wait }),
    );
    showJob(job, call.isJson);
  },
};

/** The options that the flags set. Throws CommandFault. */
export function submission(call: QueueCall): SubmitOptions {
  const webhook = call.text("webhook");
  const duration = (flag: string): number | undefined => {
    const given = call.text(flag);
    return given === undefined ? undefined : durationOrMillisecondsOf(`--${flag}`, given);
  };
  const ttl = duration("ttl");
  const executionTimeout = duration("execution-timeout");
  const tags = call.texts("tag");
  return {
    ...(webhook === undefined ? {} : { webhook }),
    policy: {
      ...(ttl === undefined ? {} : { ttl }),
      ...(executionTimeout === undefined ? {} : { executionTimeout }),
      ...(tags === undefined ? {} : { tags }),
      ...(call.isSet("low-priority") ? { lowPriority: true } : {}),
    },
  };
}
