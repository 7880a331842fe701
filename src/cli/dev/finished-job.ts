import type { DevServer } from "../../dev/start-dev-server.ts";
import { serverText } from "../server-call.ts";

/** A job that has ended, as the API tells of it. */
export interface FinishedJob {
  readonly id: string;
  readonly status: string;
  readonly delayTime?: number;
  readonly executionTime?: number;
  readonly output?: unknown;
  readonly error?: string;
  readonly input: unknown;
}

/** Throws ForebayError when the job, or the server, is not there any more. */
export async function finishedJob(
  { url: server, key }: Pick<DevServer, "url" | "key">,
  endpoint: string,
  job: string,
): Promise<FinishedJob> {
  const [record, input] = await Promise.all([
    serverText({ server, key }, `/v2/${endpoint}/status/${job}`),
    serverText({ server, key }, `/v1/endpoints/${endpoint}/jobs/${job}/input`),
  ]);
  return { ...JSON.parse(record), input: JSON.parse(input) };
}
