import type { Delivery } from "../../domain/delivery.ts";
import { dateText } from "../manage/date-text.ts";

/** The address is a secret of the job: its host and port are shown. */
export function presentDelivery(delivery: Delivery): object {
  const { id, job, jobState, state, receiver, endedAt, dueAt, attempts, last } = delivery;
  return {
    id,
    job,
    jobStatus: jobState,
    status: state,
    receiver,
    attempts,
    createdAt: dateText(endedAt),
    nextAttemptAt: state === "PENDING" ? dateText(dueAt) : undefined,
    lastAttemptAt: dateText(last?.at),
    responseStatus: last?.status,
    error: last?.reason,
  };
}
