import type { ClaimedDelivery, ShownJob } from "../domain/delivery.ts";
import { PayloadDamaged } from "../domain/errors.ts";
import { mayBegin, WEBHOOK_RETRIES } from "../domain/webhook.ts";
import type { Engine } from "../engine/engine.ts";
import { afterAttempt, givenUp, withoutAttempt } from "../engine/webhooks/after-attempt.ts";
import { webhookCall } from "../engine/webhooks/webhook-call.ts";
import type { Outbound } from "../outbound/outbound.ts";

/** What to store about an attempt. */
export type Outcome = ReturnType<typeof afterAttempt>;

export interface AttemptParts {
  readonly engine: Engine;
  readonly outbound: Outbound;
  /** The record of a job, as status answers it. */
  readonly recordOf: (job: ShownJob) => Promise<Uint8Array>;
}

/** Calls the webhook once. Never throws: each problem has an outcome. */
export async function attemptWebhook(parts: AttemptParts, delivery: ClaimedDelivery): Promise<Outcome> {
  const { engine } = parts;
  try {
    return await attemptOnce(parts, delivery);
  } catch (error) {
    if (error instanceof PayloadDamaged) return damaged(engine, delivery, error);
    // The cause is the store or a secret: no receiver can cause this.
    engine.log.error("a webhook could not be prepared", { delivery: delivery.id, error: String(error) });
    return withoutAttempt(engine, delivery, "The server could not read the stored webhook.");
  }
}

/** No later attempt would find the payload undamaged. */
function damaged(engine: Engine, delivery: ClaimedDelivery, { where }: PayloadDamaged): Outcome {
  engine.log.error("a webhook cannot be sent, because what it is to send is damaged", {
    endpoint: delivery.endpoint,
    delivery: delivery.id,
    where,
  });
  const sentence = "The stored webhook is damaged and cannot be read.";
  return givenUp(engine, delivery, sentence, engine.durations.webhookRetention);
}

async function attemptOnce(parts: AttemptParts, delivery: ClaimedDelivery): Promise<Outcome> {
  const { engine, outbound, recordOf } = parts;
  const { durations } = engine;
  const endpoint = await endpointOf(engine, delivery);
  if (endpoint === undefined) return givenUp(engine, delivery, "Its endpoint was deleted.", 0);
  if (!mayBegin(delivery.started, endpoint.webhookRetries ?? WEBHOOK_RETRIES)) {
    const sentence = "The server stopped during too many attempts.";
    return givenUp(engine, delivery, sentence, durations.webhookRetention);
  }
  const body = await recordOf(delivery.record);
  const { address, headers } = await webhookCall(engine, endpoint, delivery, body);
  const end = await outbound.post({ url: address, headers, body, timeout: durations.webhookTimeout });
  return afterAttempt(engine, delivery, {
    status: end.kind === "answered" ? end.status : undefined,
    reason: end.kind === "failed" ? end.reason : undefined,
  });
}

/** Another server can have created the endpoint a moment ago, so we read the records again. */
async function endpointOf({ configuration }: Engine, { endpoint }: ClaimedDelivery) {
  if (configuration.get("endpoint", endpoint) === undefined) await configuration.refresh();
  return configuration.get("endpoint", endpoint);
}
