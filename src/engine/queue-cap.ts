import { ForebayError } from "../domain/errors.ts";
import type { OverQueue, QueueCap } from "../domain/queue-cap.ts";
import type { QueuedBytes } from "./queued-bytes.ts";
import type { WithConfiguration } from "./records/configuration.ts";
import type { WithLimits } from "./verb-needs.ts";

/** What says how much may wait. */
export interface QueueLimits extends WithConfiguration, WithLimits {
  /** What waits, by endpoint and by account. */
  readonly queuedBytes: QueuedBytes;
}

/** When to try again, seconds: a guess, because it depends on the workers. */
const QUEUE_FULL_RETRY = 5;

/** What its endpoint allows to wait; undefined: any amount. */
export function queueCapOf(engine: WithConfiguration, endpoint: string): QueueCap | undefined {
  const { maxQueuedJobs: jobs, maxQueuedBytes: bytes } = engine.configuration.get("endpoint", endpoint) ?? {};
  return jobs === undefined && bytes === undefined ? undefined : { jobs, bytes };
}

/** Why a job was not taken into the queue. */
export function queueFull(
  engine: QueueLimits,
  endpoint: string,
  cap: QueueCap | undefined,
  over: OverQueue,
): ForebayError {
  return new ForebayError("QUEUE_FULL", sentenceOf(engine, endpoint, cap, over), QUEUE_FULL_RETRY);
}

function sentenceOf(
  engine: QueueLimits,
  endpoint: string,
  cap: QueueCap | undefined,
  over: OverQueue,
): string {
  const { limits, queuedBytes, configuration } = engine;
  if (over === "ceiling") {
    return (
      `The waiting jobs of endpoint ${endpoint} have reached the limit of this server: ` +
      `${limits.endpointQueuedBytes} bytes. Try again when workers have taken some, or ask the operator to ` +
      "raise FOREBAY_ENDPOINT_QUEUED_MB."
    );
  }
  if (over === "account") {
    const account = configuration.get("endpoint", endpoint)?.account ?? "";
    return (
      `The waiting jobs of account ${account} have ${queuedBytes.of(account)} bytes; its limit is ` +
      `${limits.queuedBytes} bytes. Try again when workers have taken some, or ask the operator to raise ` +
      "FOREBAY_ACCOUNT_QUEUED_MB."
    );
  }
  const allowed = `${cap?.[over]} ${over} (${over === "jobs" ? "maxQueuedJobs" : "maxQueuedBytes"})`;
  return `Endpoint ${endpoint} is full: at most ${allowed} can wait. Try again when workers have taken some.`;
}
