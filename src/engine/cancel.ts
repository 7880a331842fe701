import type { Job } from "../domain/job.ts";
import type { Engine } from "./engine.ts";
import { retentionNow } from "./job-times.ts";
import { found } from "./status.ts";

/**
 * Ends a waiting or running job as CANCELLED; its worker is told to stop. A job that has ended stays as it
 * is: the answer has its true state. Throws JOB_NOT_FOUND.
 */
export async function cancel(engine: Engine, endpoint: string, id: string): Promise<Job> {
  const retention = retentionNow(engine, endpoint, id);
  const [job] = await engine.store.apply([{ step: "cancel", endpoint, id, retention }], engine.clock.now());
  return found(job, id);
}
