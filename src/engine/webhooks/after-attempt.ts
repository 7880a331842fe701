import type { ClaimedDelivery } from "../../domain/delivery.ts";
import { pauseAfter, WEBHOOK_RETRIES } from "../../domain/webhook.ts";
import type { DeliveryOutcome } from "../../store/delivery-steps.ts";
import type { Clock } from "../../domain/clock.ts";
import { jobTimes, type JobTimeSource } from "../job-times.ts";
import type { WithDurations } from "../verb-needs.ts";

interface WithClock {
  readonly clock: Clock;
}

/** The result of an attempt: the status of the answer, or the reason why there was none, as a sentence. */
export interface AttemptEnd {
  readonly status: number | undefined;
  readonly reason: string | undefined;
}

/** Any 2xx is an acknowledgement (design, row 16). */
export function isAcknowledged({ status }: AttemptEnd): boolean {
  return status !== undefined && status >= 200 && status < 300;
}

/**
 * What to store after an attempt that has just ended: that it was the last one, or when the next one is due.
 */
export function afterAttempt(
  engine: JobTimeSource & WithClock,
  delivery: ClaimedDelivery,
  end: AttemptEnd,
): DeliveryOutcome {
  const { clock, durations, configuration } = engine;
  const { endpoint } = delivery;
  const now = clock.now();
  const attempts = delivery.attempts + 1;
  const outcome = { ...named(delivery), attempts, last: { at: now, ...end } };
  if (isAcknowledged(end)) {
    return { ...outcome, state: "DELIVERED", dueAt: now + jobTimes(engine, endpoint).runRetentionMs };
  }
  const retries = configuration.get("endpoint", endpoint)?.webhookRetries ?? WEBHOOK_RETRIES;
  if (attempts > retries) return { ...outcome, state: "FAILED", dueAt: now + durations.webhookRetention };
  return { ...outcome, state: "PENDING", dueAt: now + pauseAfter(attempts, durations.webhookPause) };
}

/**
 * The outcome if the server could not make the attempt. It tries again later, and this attempt does not
 * count.
 */
export function withoutAttempt(
  engine: WithDurations & WithClock,
  delivery: ClaimedDelivery,
  reason: string,
): DeliveryOutcome {
  const now = engine.clock.now();
  const { attempts } = delivery;
  const last = { at: now, status: undefined, reason };
  return { ...named(delivery), state: "PENDING", dueAt: now + engine.durations.webhookPause, attempts, last };
}

/** The outcome if no more attempts are made. The delivery is kept for `retention` ms. */
export function givenUp(
  engine: WithClock,
  delivery: ClaimedDelivery,
  reason: string,
  retention: number,
): DeliveryOutcome {
  const now = engine.clock.now();
  const { attempts } = delivery;
  const last = { at: now, status: undefined, reason };
  return { ...named(delivery), state: "FAILED", dueAt: now + retention, attempts, last };
}

function named({ endpoint, id, started }: ClaimedDelivery) {
  return { endpoint, id, started };
}
