import { CLIENT_FLAGS, type Command } from "../command.ts";
import { parseQueueCall } from "./queue-call.ts";
import { showTicket } from "./show-job.ts";

/** Cancels a job; one that has ended stays as it is. */
export const cancel: Command = {
  words: "<endpoint> <job>",
  about: `
Cancels a job and prints its state. One that has ended stays as it is.
`,
  flags: CLIENT_FLAGS,
  examples: ["forebay cancel hello $JOB"],
  async run(args) {
    const { endpoint, job, isJson } = parseQueueCall(args, ["endpoint", "job"]);
    showTicket(await endpoint.cancel(job), isJson);
  },
};
