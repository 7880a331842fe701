import { deliveryId } from "../../domain/delivery.ts";
import type { JobColumns } from "../job-columns.ts";

/** The columns of the webhook of a job that has just ended; undefined where the job has no webhook. */
export function newDelivery(ended: JobColumns) {
  const { endpoint, receiver, webhook, ended_at } = ended;
  if (receiver === null || webhook === null || ended_at === null) return undefined;
  return {
    endpoint,
    id: deliveryId(ended_at, ended.position, ended.id),
    receiver,
    webhook,
    due_at: ended_at,
    job: ended.id,
    job_state: ended.state,
    queued_at: ended.queued_at,
    taken_at: ended.taken_at,
    ended_at,
    worker: ended.worker,
    losses: ended.losses,
  };
}
