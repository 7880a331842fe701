import type { JobState } from "../../domain/transitions.ts";

/** What an Idempotency-Key answers once its job is gone: a job that goes while it waits was purged. */
export function lastState(state: JobState): JobState {
  return state === "IN_QUEUE" ? "CANCELLED" : state;
}
