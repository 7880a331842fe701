import { ForebayError } from "../domain/errors.ts";
import type { QueueCap } from "../domain/queue-cap.ts";
import type { Engine } from "./engine.ts";

/** How soon a place may be free is for the workers to say: a guess that costs little, seconds. */
const QUEUE_FULL_RETRY = 5;

/** What its endpoint allows to wait; undefined: any amount. */
export function queueCapOf(engine: Engine, endpoint: string): QueueCap | undefined {
  const { maxQueuedJobs: jobs, maxQueuedBytes: bytes } = engine.configuration.get("endpoint", endpoint) ?? {};
  return jobs === undefined && bytes === undefined ? undefined : { jobs, bytes };
}

/** Why a job was not taken into the queue. */
export function queueFull(endpoint: string, cap: QueueCap | undefined, over: keyof QueueCap): ForebayError {
  const allowed = `${cap?.[over]} ${over} (${over === "jobs" ? "maxQueuedJobs" : "maxQueuedBytes"})`;
  return new ForebayError(
    "QUEUE_FULL",
    `No more than ${allowed} may wait on endpoint ${endpoint}. Try again when workers have taken some.`,
    QUEUE_FULL_RETRY,
  );
}
