import type { ClaimedDelivery, DeliveryState, ShownJob } from "../domain/delivery.ts";
import { PayloadDamaged } from "../domain/errors.ts";
import type { WebhookOutcome } from "../domain/meters.ts";
import { mayBegin, WEBHOOK_RETRIES } from "../domain/webhook.ts";
import { sizeOf } from "../domain/payload.ts";
import type { Engine } from "../engine/engine.ts";
import { DELIVERY_KEY } from "../engine/wait-keys.ts";
import { afterAttempt, givenUp, withoutAttempt } from "../engine/webhooks/after-attempt.ts";
import { claimDeliveries, releaseDeliveries } from "../engine/webhooks/claim-deliveries.ts";
import { webhookCall } from "../engine/webhooks/webhook-call.ts";
import { nextTurn } from "../engine/next-turn.ts";
import type { Outbound } from "../outbound/outbound.ts";
import type { Duty } from "./duty.ts";
import { AT_FIRST, MOST_UNDER_WAY, receiverRoom } from "./receiver-room.ts";

export interface WebhookDeliveries {
  readonly duty: Duty;
  /** Waits a moment for the attempts under way; those that go on are made again by the next server. */
  stop(): Promise<void>;
}

/** Attempts that end or fall due within this, ms, share a commit. */
const TOGETHER = 20;

/** Bytes of bodies under way. */
const MOST_BYTES = 64 * 1_048_576;

/** How long a server that ends waits for attempts, ms. */
const STOP_GRACE = 2_000;

type Outcome = ReturnType<typeof afterAttempt>;

/** As what an attempt counts after which its webhook is in this state. */
const OUTCOMES = {
  DELIVERED: "delivered",
  PENDING: "retry",
  FAILED: "given_up",
} as const satisfies Record<DeliveryState, WebhookOutcome>;

/**
 * Calls the webhooks of jobs that have ended. Each server claims what it has room for, row by row, so that
 * none is called by two, and what a killed one had claimed is another's. `present` gives the record of a job
 * as status answers it.
 */
export function deliverWebhooks(
  engine: Engine,
  outbound: Outbound,
  present: (job: ShownJob) => Promise<Uint8Array>,
): WebhookDeliveries {
  const { clock, durations, configuration, log } = engine;
  const signals = engine.waits.open(DELIVERY_KEY);
  const receivers = receiverRoom(clock);
  const underWay = new Set<Promise<void>>();
  let ended: Outcome[] = [];
  let bytes = 0;
  let isReleased = false;

  async function run(): Promise<void> {
    await signals.next(clock.now() + durations.webhookInterval);
    // An earlier process of this server was killed in the middle of these.
    if (!isReleased) await releaseDeliveries(engine);
    isReleased = true;
    for (const delivery of await recordAndClaim()) {
      begin(delivery);
      // Many at once would keep hand-outs waiting until the last of them is signed and sent.
      await nextTurn();
    }
  }

  async function recordAndClaim(): Promise<readonly ClaimedDelivery[]> {
    const outcomes = ended;
    ended = [];
    const free = engine.isStopping || bytes >= MOST_BYTES ? 0 : MOST_UNDER_WAY - receivers.underWay;
    const room = {
      limit: free,
      byteLimit: MOST_BYTES - bytes,
      each: AT_FIRST,
      room: free > 0 ? receivers.rooms() : [],
    };
    try {
      return await claimDeliveries(engine, outcomes, room);
    } catch (error) {
      ended = [...outcomes, ...ended];
      throw error;
    }
  }

  function begin(delivery: ClaimedDelivery): void {
    const { output, error } = delivery.record;
    const size = (output === undefined ? 0 : sizeOf(output)) + (error === undefined ? 0 : sizeOf(error));
    bytes += size;
    const attempt = attemptOf(delivery).finally(() => {
      underWay.delete(attempt);
      bytes -= size;
    });
    underWay.add(attempt);
  }

  async function attemptOf(delivery: ClaimedDelivery): Promise<void> {
    const { receiver } = delivery;
    const beganAt = clock.now();
    receivers.begin(receiver);
    const outcome = await outcomeOf(delivery);
    ended.push(outcome);
    engine.meters.webhooks[OUTCOMES[outcome.state]]++;
    receivers.end(receiver, clock.now() - beganAt, outcome.state === "DELIVERED");
    engine.waits.notify(DELIVERY_KEY);
  }

  async function outcomeOf(delivery: ClaimedDelivery): Promise<Outcome> {
    try {
      return await attemptOnce(delivery);
    } catch (error) {
      if (error instanceof PayloadDamaged) return damaged(delivery, error);
      // The store, or a secret: no receiver can make it fail.
      log.error("a webhook could not be prepared", { delivery: delivery.id, error: String(error) });
      return withoutAttempt(engine, delivery, "The server could not read what it is to send.");
    }
  }

  /** No later attempt would find it whole. */
  function damaged(delivery: ClaimedDelivery, { where }: PayloadDamaged): Outcome {
    log.error("a webhook cannot be sent, because what it is to send is damaged", {
      endpoint: delivery.endpoint,
      delivery: delivery.id,
      where,
    });
    const sentence = "What the server stored for this webhook is damaged and cannot be read.";
    return givenUp(engine, delivery, sentence, durations.webhookRetention);
  }

  async function attemptOnce(delivery: ClaimedDelivery): Promise<Outcome> {
    const endpoint = await endpointOf(delivery);
    if (endpoint === undefined) return givenUp(engine, delivery, "Its endpoint was deleted.", 0);
    if (!mayBegin(delivery.started, endpoint.webhookRetries ?? WEBHOOK_RETRIES)) {
      const sentence = "The server ended in the middle of too many attempts.";
      return givenUp(engine, delivery, sentence, durations.webhookRetention);
    }
    const body = await present(delivery.record);
    const { address, headers } = await webhookCall(engine, endpoint, delivery, body);
    const timeout = durations.webhookTimeout;
    const end = await outbound.post({ url: address, headers, body, timeout });
    return afterAttempt(engine, delivery, {
      status: end.kind === "answered" ? end.status : undefined,
      reason: end.kind === "failed" ? end.reason : undefined,
    });
  }

  /** One that another server has just made is not yet known here. */
  async function endpointOf({ endpoint }: ClaimedDelivery) {
    if (configuration.get("endpoint", endpoint) === undefined) await configuration.refresh();
    return configuration.get("endpoint", endpoint);
  }

  return {
    duty: { name: "deliver webhooks", every: TOGETHER, run },

    async stop() {
      let cancel = (): void => undefined;
      const grace = new Promise<void>((resolve) => {
        cancel = clock.after(STOP_GRACE, resolve);
      });
      await Promise.race([Promise.all(underWay), grace]);
      cancel();
      await recordAndClaim();
      await releaseDeliveries(engine);
    },
  };
}
