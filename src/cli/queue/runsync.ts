import { parseQueueCall } from "./queue-call.ts";
import { readInput } from "./read-input.ts";
import { showJob } from "./show-job.ts";
import { submission, SUBMISSION_FLAGS } from "./submission.ts";
import { waitForEnd } from "./wait-for-end.ts";

/** Submits a job and waits until it has ended. */
export async function runsync(args: string[]): Promise<void> {
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
}
