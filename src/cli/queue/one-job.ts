import { hasEnded } from "@forebay/worker/client";
import { CLIENT_FLAGS, type Command, type Flags } from "../command.ts";
import { parseJobCall } from "../manage/manage-call.ts";
import { endpointInPath, serverText } from "../server-call.ts";
import { shown } from "../terminal/terminal-text.ts";
import { parseQueueCall } from "./queue-call.ts";
import { showJob, showTicket } from "./show-job.ts";
import { waitForEnd } from "./wait-for-end.ts";

const FLAGS = { wait: { type: "boolean", help: "wait until the job ends" } } as const satisfies Flags;

/** Prints the record of a job; with --wait after the job has ended. */
export const status: Command = {
  words: "<endpoint> <job>",
  about: `
Prints the record of a job. Ctrl-C stops waiting; the job continues.
Exit code 1 if the job failed, was cancelled or timed out, 2 for other faults.
`,
  flags: { ...FLAGS, ...CLIENT_FLAGS },
  examples: ["forebay status hello $JOB --wait"],
  async run(args) {
    const call = parseQueueCall(args, ["endpoint", "job"], FLAGS);
    const { endpoint, job: id } = call;
    let job = await endpoint.status(id);
    if (call.isSet("wait") && !hasEnded(job)) {
      job = await waitForEnd(call.access, endpoint.id, id, (wait) => endpoint.waitFor(id, wait));
    }
    showJob(job, call.isJson);
  },
};

/** Prints the input of a job as it was sent. */
export const input: Command = {
  words: "[endpoint] <job>",
  about: `
Prints the input of a job, byte for byte as it was sent. Without an endpoint, it
also finds a finished job whose input is in the history.
`,
  flags: CLIENT_FLAGS,
  examples: ["forebay input $JOB > input.json", "forebay input chat $JOB | forebay run chat -"],
  async run(args) {
    const { access, endpoint, job } = parseJobCall(args);
    const owner = endpoint === undefined ? "/v1" : `/v1/endpoints/${endpointInPath(endpoint)}`;
    const path = `${owner}/jobs/${job}/input`;
    console.log(shown(await serverText(access, path)));
  },
};

/** Cancels a job. A job that has ended stays as it is. */
export const cancel: Command = {
  words: "<endpoint> <job>",
  about: `
Cancels a job and prints its state. A job that has ended is not changed.
`,
  flags: CLIENT_FLAGS,
  examples: ["forebay cancel hello $JOB"],
  async run(args) {
    const { endpoint, job, isJson } = parseQueueCall(args, ["endpoint", "job"]);
    showTicket(await endpoint.cancel(job), isJson);
  },
};

/** Retries a job that failed or timed out. */
export const retry: Command = {
  words: "<endpoint> <job>",
  about: `
Retries a job that failed or timed out, with the same id and input.
`,
  flags: CLIENT_FLAGS,
  examples: ["forebay retry hello $JOB"],
  async run(args) {
    const { endpoint, job, isJson } = parseQueueCall(args, ["endpoint", "job"]);
    showTicket(await endpoint.retry(job), isJson);
  },
};
