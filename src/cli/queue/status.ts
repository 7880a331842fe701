import { hasEnded } from "@forebay/worker/client";
import { parseQueueCall } from "./queue-call.ts";
import { showJob } from "./show-job.ts";
import { waitForEnd } from "./wait-for-end.ts";

/** Tells how a job is; with --wait once it has ended. */
export async function status(args: string[]): Promise<void> {
  const call = parseQueueCall(args, ["endpoint", "job"], { wait: { type: "boolean" } });
  const { endpoint, job: id } = call;
  let job = await endpoint.status(id);
  if (call.isSet("wait") && !hasEnded(job)) {
    job = await waitForEnd(endpoint.id, id, (wait) => endpoint.waitFor(id, wait));
  }
  showJob(job, call.isJson);
}
