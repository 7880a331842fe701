import { expect } from "bun:test";
import type { ModelJob } from "./model-job.ts";
import { SOME_REASON } from "./queue-model.ts";

/** The record that a status of the job answers (spec 2.4; design, row 11). */
export function recordOf(job: ModelJob): Record<string, unknown> {
  const { id, state, worker, takenAt, endedAt, queuedAt, losses, output, error } = job;
  return {
    id,
    status: state,
    ...(takenAt === undefined ? {} : { delayTime: takenAt - queuedAt, workerId: worker }),
    ...(takenAt === undefined || endedAt === undefined ? {} : { executionTime: endedAt - takenAt }),
    ...(losses > 0 ? { retries: losses } : {}),
    ...(output === undefined ? {} : { output: JSON.parse(output) }),
    ...(error === undefined ? {} : { error: error === SOME_REASON ? expect.any(String) : error }),
  };
}
