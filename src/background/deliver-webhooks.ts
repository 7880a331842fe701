import type { ClaimedDelivery, DeliveryState, ShownJob } from "../domain/delivery.ts";
import type { WebhookOutcome } from "../domain/meters.ts";
import { sizeOf } from "../domain/payload.ts";
import type { Engine } from "../engine/engine.ts";
import { nextTurn } from "../engine/next-turn.ts";
import { DELIVERY_KEY } from "../engine/wait-keys.ts";
import type { Waiting } from "../engine/waits.ts";
import { claimDeliveries, releaseDeliveries } from "../engine/webhooks/claim-deliveries.ts";
import type { Outbound } from "../outbound/outbound.ts";
import { type AttemptParts, attemptWebhook, type Outcome } from "./attempt-webhook.ts";
import { AT_FIRST, MOST_UNDER_WAY, type ReceiverRoom, receiverRoom } from "./receiver-room.ts";
import type { BackgroundJob } from "./run-background-jobs.ts";

export interface WebhookDeliveries {
  readonly job: BackgroundJob;
  /** Waits a moment for the present attempts. Another server repeats those that take longer. */
  stop(): Promise<void>;
}

/** Attempts that end or fall due within this, ms, share a commit. */
const TOGETHER = 20;

/** Bytes of all bodies in progress. */
const MOST_BYTES = 64 * 1_048_576;

/** How long a server that stops waits for attempts, ms. */
const STOP_GRACE = 2_000;

/** How the metrics count an attempt after which its webhook is in this state. */
const OUTCOMES = {
  DELIVERED: "delivered",
  PENDING: "retry",
  FAILED: "given_up",
} as const satisfies Record<DeliveryState, WebhookOutcome>;

/**
 * Calls the webhooks of jobs that have ended. Each server claims deliveries row by row, as many as it has
 * room for. So no two servers attempt the same one, and another server gets what a killed server had claimed.
 */
export function deliverWebhooks(
  engine: Engine,
  outbound: Outbound,
  recordOf: (job: ShownJob) => Promise<Uint8Array>,
): WebhookDeliveries {
  return new Deliveries({ engine, outbound, recordOf });
}

class Deliveries implements WebhookDeliveries {
  readonly job: BackgroundJob = { name: "deliver webhooks", every: TOGETHER, run: () => this.#run() };
  readonly #parts: AttemptParts;
  readonly #signals: Waiting;
  readonly #receivers: ReceiverRoom;
  readonly #underWay = new Set<Promise<void>>();
  /** Outcomes that are not stored yet. */
  #ended: Outcome[] = [];
  #bytes = 0;
  #isReleased = false;

  constructor(parts: AttemptParts) {
    this.#parts = parts;
    this.#signals = parts.engine.waits.open(DELIVERY_KEY);
    this.#receivers = receiverRoom(parts.engine.clock);
  }

  async stop(): Promise<void> {
    const { engine } = this.#parts;
    let cancel = (): void => undefined;
    const grace = new Promise<void>((resolve) => {
      cancel = engine.clock.after(STOP_GRACE, resolve);
    });
    await Promise.race([Promise.all(this.#underWay), grace]);
    cancel();
    await this.#recordAndClaim();
    await releaseDeliveries(engine);
  }

  async #run(): Promise<void> {
    const { engine } = this.#parts;
    await this.#signals.next(engine.clock.now() + engine.durations.webhookInterval);
    // A killed process of this server had claimed these.
    if (!this.#isReleased) await releaseDeliveries(engine);
    this.#isReleased = true;
    for (const delivery of await this.#recordAndClaim()) {
      this.#begin(delivery);
      // Otherwise hand-outs would wait until all of them are signed and sent.
      await nextTurn();
    }
  }

  async #recordAndClaim(): Promise<readonly ClaimedDelivery[]> {
    const { engine } = this.#parts;
    const outcomes = this.#ended;
    this.#ended = [];
    const isFull = engine.isStopping || this.#bytes >= MOST_BYTES;
    const free = isFull ? 0 : MOST_UNDER_WAY - this.#receivers.underWay;
    const room = {
      limit: free,
      byteLimit: MOST_BYTES - this.#bytes,
      each: AT_FIRST,
      room: free > 0 ? this.#receivers.rooms() : [],
    };
    try {
      return await claimDeliveries(engine, outcomes, room);
    } catch (error) {
      this.#ended = [...outcomes, ...this.#ended];
      throw error;
    }
  }

  #begin(delivery: ClaimedDelivery): void {
    const { output, error } = delivery.record;
    const size = (output === undefined ? 0 : sizeOf(output)) + (error === undefined ? 0 : sizeOf(error));
    this.#bytes += size;
    const attempt = this.#attempt(delivery).finally(() => {
      this.#underWay.delete(attempt);
      this.#bytes -= size;
    });
    this.#underWay.add(attempt);
  }

  async #attempt(delivery: ClaimedDelivery): Promise<void> {
    const { engine } = this.#parts;
    const { receiver } = delivery;
    const beganAt = engine.clock.now();
    this.#receivers.begin(receiver);
    const outcome = await attemptWebhook(this.#parts, delivery);
    this.#ended.push(outcome);
    engine.meters.webhooks[OUTCOMES[outcome.state]]++;
    this.#receivers.end(receiver, engine.clock.now() - beganAt, outcome.state === "DELIVERED");
    engine.waits.notify(DELIVERY_KEY);
  }
}
