import type { Forget } from "../../src/store/steps.ts";

/** Removes what is over; without a limit everything that is, and no worker where a test does not say. */
export function forget(limit = 1_000_000, contactsBefore = 0, pastWorkersBefore = 0): Forget {
  return { step: "forget", limit, contactsBefore, pastWorkersBefore };
}
