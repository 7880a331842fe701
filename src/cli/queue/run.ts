import { CLIENT_FLAGS, type Command } from "../command.ts";
import { parseQueueCall } from "./queue-call.ts";
import { readInput } from "./read-input.ts";
import { showTicket } from "./show-job.ts";
import { submission, SUBMISSION_ABOUT, SUBMISSION_FLAGS } from "./submission.ts";

/** Submits a job, and does not wait for it. */
export const run: Command = {
  words: "<endpoint> [input]",
  about: `
Submits a job and prints its id, without waiting for it. The result stays for 30
minutes after the end.

${SUBMISSION_ABOUT}
`,
  flags: { ...SUBMISSION_FLAGS, ...CLIENT_FLAGS },
  examples: ["forebay run hello name=Ada", "forebay run chat @input.json --ttl 60000 --low-priority"],
  async run(args) {
    const call = parseQueueCall(args, ["endpoint", "input"], SUBMISSION_FLAGS);
    const options = submission(call);
    showTicket(await call.endpoint.run(await readInput(call.rest), options), call.isJson);
  },
};
