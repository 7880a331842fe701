import { parseQueueCall } from "./queue-call.ts";
import { showTicket } from "./show-job.ts";

/** Cancels a job; one that has ended stays as it is. */
export async function cancel(args: string[]): Promise<void> {
  const { endpoint, job, isJson } = parseQueueCall(args, ["endpoint", "job"]);
  showTicket(await endpoint.cancel(job), isJson);
}
