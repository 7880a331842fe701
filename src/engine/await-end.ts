import { isTerminal } from "../domain/transitions.ts";
import type { JobRecord } from "../domain/job.ts";
import { onAbort, throwRevoked } from "../domain/on-abort.ts";
import type { StoreAccess, WithWaits } from "./verb-needs.ts";
import { endKey } from "./wait-keys.ts";

/**
 * The job when it has ended, or as it is at `until`, or as soon as the caller is gone or the server stops.
 * Undefined when it is not there, or no longer. Throws the reason of a `signal` that ends with an error of
 * the caller.
 */
export async function awaitEnd(
  engine: StoreAccess & WithWaits,
  endpoint: string,
  id: string,
  until: number,
  signal: AbortSignal,
): Promise<JobRecord | undefined> {
  const waiting = engine.waits.open(endKey(endpoint, id));
  onAbort(signal, waiting.close);
  try {
    // Nobody signals a hand-out: what is answered at `until` is read then.
    for (let isOver = false; ;) {
      const job = await engine.store.job(endpoint, id);
      if (isOver || job === undefined || isTerminal(job.state)) return job;
      isOver = !(await waiting.next(until));
      throwRevoked(signal);
    }
  } finally {
    waiting.close();
  }
}
