import { CLIENT_FLAGS, type Command } from "../command.ts";
import { parseQueueCall } from "./queue-call.ts";
import { readInput } from "./read-input.ts";
import { showJob } from "./show-job.ts";
import { submission, SUBMISSION_ABOUT, SUBMISSION_FLAGS } from "./submission.ts";
import { waitForEnd } from "./wait-for-end.ts";

/** Submits a job and waits until it has ended. */
export const runsync: Command = {
  words: "<endpoint> [input]",
  about: `
Submits a job, waits for its end and prints its record. Ctrl-C ends the wait;
the job goes on.
Exit code 1 when the job failed, was cancelled or timed out, 2 for other faults.

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
    // Whoever mistyped the address is told so at once; from here on the server may go and come back.
    await endpoint.health();
    const job = await waitForEnd(endpoint.id, undefined, (wait) =>
      endpoint.runSync(input, { ...options, ...wait }),
    );
    showJob(job, call.isJson);
  },
};
