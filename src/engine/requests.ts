import type { Job } from "../domain/job.ts";
import type { UnfinishedState } from "../domain/transitions.ts";
import type { Engine } from "./engine.ts";

export interface RequestsPage {
  /** The newest first. */
  readonly jobs: readonly Job[];
  /** Where the next page begins; undefined when there is none. */
  readonly next: number | undefined;
}

export interface RequestsCall {
  readonly endpoint: string;
  /** Only jobs in this state; undefined: waiting and running ones. */
  readonly state: UnfinishedState | undefined;
  /** The `next` of the page before; undefined begins with the newest job. */
  readonly from: number | undefined;
  readonly limit: number;
}

/** The unfinished jobs of an endpoint, page by page. A job that was queued anew counts as new. */
export async function requests({ store }: Engine, call: RequestsCall): Promise<RequestsPage> {
  const { endpoint, state, from = Number.MAX_SAFE_INTEGER, limit } = call;
  // One more than asked for tells whether there is another page.
  const found = await store.unfinished(endpoint, state, from, limit + 1);
  const jobs = found.slice(0, limit);
  return { jobs, next: found.length > limit ? jobs.at(-1)?.position : undefined };
}
