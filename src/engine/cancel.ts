import { ForebayError } from "../domain/errors.ts";
import type { Job } from "../domain/job.ts";
import type { Log } from "../domain/log.ts";
import { onAbort } from "../domain/on-abort.ts";
import { type JobTimeSource, retentionNow } from "./job-times.ts";
import { found } from "./status.ts";
import type { StoreAccess } from "./verb-needs.ts";

/** What cancelling a job needs. */
export type Cancelling = StoreAccess & JobTimeSource;

/**
 * Ends a waiting or running job as CANCELLED, and asks its worker to stop. A job that has ended stays as it
 * is, and the answer has its real state. Throws JOB_NOT_FOUND.
 */
export async function cancel(engine: Cancelling, endpoint: string, id: string): Promise<Job> {
  const retention = retentionNow(engine, endpoint, id);
  const [job] = await engine.store.apply([{ step: "cancel", endpoint, id, retention }], engine.clock.now());
  return found(job, id);
}

/** A job that only one call needs. */
export interface OwnJob extends AsyncDisposable {
  /** The call has its answer: leave the job as it is. */
  settle(): void;
}

/** Cancels the job when its caller hangs up, or when it is disposed of, unless it was settled before. */
export function ownJob(
  engine: Cancelling,
  log: Log,
  endpoint: string,
  id: string,
  gone: AbortSignal,
): OwnJob {
  let isSettled = false;

  async function drop(): Promise<void> {
    if (isSettled) return;
    isSettled = true;
    try {
      await cancel(engine, endpoint, id);
    } catch (error) {
      // The job may be gone already. Otherwise its timeout ends it.
      if (!(error instanceof ForebayError)) throw error;
    }
  }

  const onGone = (): void => {
    drop().catch((error: unknown) => {
      log.error("a job that nobody waits for could not be cancelled", { id, error: String(error) });
    });
  };
  const unlisten = onAbort(gone, onGone);

  return {
    settle() {
      isSettled = true;
      unlisten();
    },
    async [Symbol.asyncDispose]() {
      unlisten();
      await drop();
    },
  };
}
