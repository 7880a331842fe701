import { CLIENT_FLAGS, type Command } from "../command.ts";
import { parseQueueCall } from "./queue-call.ts";
import { showTicket } from "./show-job.ts";

/** Puts a job that failed or timed out into the queue again. */
export const retry: Command = {
  words: "<endpoint> <job>",
  about: `
Puts a job that failed or timed out into the queue again: same id, same input.
`,
  flags: CLIENT_FLAGS,
  examples: ["forebay retry hello $JOB"],
  async run(args) {
    const { endpoint, job, isJson } = parseQueueCall(args, ["endpoint", "job"]);
    showTicket(await endpoint.retry(job), isJson);
  },
};
