import { CLIENT_FLAGS, type Command, type Flags } from "../command.ts";
import { hasEnded } from "@forebay/worker/client";
import { parseQueueCall } from "./queue-call.ts";
import { showJob } from "./show-job.ts";
import { waitForEnd } from "./wait-for-end.ts";

const FLAGS = { wait: { type: "boolean", help: "once the job has ended" } } as const satisfies Flags;

/** Tells how a job is; with --wait once it has ended. */
export const status: Command = {
  words: "<endpoint> <job>",
  about: `
Prints the record of a job. Ctrl-C ends a wait; the job goes on.
Exit code 1 when the job failed, was cancelled or timed out, 2 for other faults.
`,
  flags: { ...FLAGS, ...CLIENT_FLAGS },
  examples: ["forebay status hello $JOB --wait"],
  async run(args) {
    const call = parseQueueCall(args, ["endpoint", "job"], FLAGS);
    const { endpoint, job: id } = call;
    let job = await endpoint.status(id);
    if (call.isSet("wait") && !hasEnded(job)) {
      job = await waitForEnd(endpoint.id, id, (wait) => endpoint.waitFor(id, wait));
    }
    showJob(job, call.isJson);
  },
};
