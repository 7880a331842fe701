import { parseQueueCall } from "./queue-call.ts";
import { readInput } from "./read-input.ts";
import { showTicket } from "./show-job.ts";
import { submission, SUBMISSION_FLAGS } from "./submission.ts";

/** Submits a job, and does not wait for it. */
export async function run(args: string[]): Promise<void> {
  const call = parseQueueCall(args, ["endpoint", "input"], SUBMISSION_FLAGS);
  const options = submission(call);
  showTicket(await call.endpoint.run(await readInput(call.rest), options), call.isJson);
}
