import { parseQueueCall } from "./queue-call.ts";

/** Removes all jobs that wait. */
export async function purge(args: string[]): Promise<void> {
  const { endpoint, isJson } = parseQueueCall(args, ["endpoint"]);
  const result = await endpoint.purge();
  const jobs = result.removed === 1 ? "waiting job" : "waiting jobs";
  console.log(isJson ? JSON.stringify(result) : `${result.removed} ${jobs} removed`);
}
