import { parseQueueCall } from "./queue-call.ts";
import { showTicket } from "./show-job.ts";

/** Puts a job that failed or timed out into the queue again. */
export async function retry(args: string[]): Promise<void> {
  const { endpoint, job, isJson } = parseQueueCall(args, ["endpoint", "job"]);
  showTicket(await endpoint.retry(job), isJson);
}
