import { deliveryId } from "../../../src/domain/delivery.ts";
import type { DeliveryOutcome } from "../../../src/store/delivery-steps.ts";
import { SEALED } from "../../contract/webhook-steps.ts";
import { START } from "../../contract/queue.ts";
import { bytes } from "../../model/bytes.ts";
import { drain, forget, purge, resealSecret, retry, setTtlLater, take } from "./moves.ts";
import { type Move, NOW, type Place, type Situation } from "./situation.ts";

const JOB = "job";
/** The webhook of the end of a job at START. */
const DELIVERY = deliveryId(START, 1, JOB);

const claimBy = (owner: string, until: number) =>
  ({ step: "claimDeliveries", owner, until, limit: 10, byteLimit: Infinity, each: 10, room: [] }) as const;

const recordOf = (
  { endpoint }: Place,
  owner: string,
  given: Pick<DeliveryOutcome, "started" | "state" | "dueAt">,
) => {
  const last = { at: NOW, status: 200, reason: undefined };
  const outcome = { endpoint, id: DELIVERY, attempts: given.started, last, ...given };
  return { step: "recordDeliveries", owner, outcomes: [outcome] } as const;
};

const claim = (owner: string): Move => ({
  name: `claim by ${owner}`,
  skips: true,
  neverWaits: true,
  step: () => claimBy(owner, NOW + 60_000),
});

const delivered = (owner: string, started: number): Move => ({
  name: `success of attempt ${started} by ${owner}`,
  step: (place) => recordOf(place, owner, { started, state: "DELIVERED", dueAt: NOW + 60_000 }),
});

const failed = (owner: string, started: number): Move => ({
  name: `failure of attempt ${started} by ${owner}`,
  step: (place) => recordOf(place, owner, { started, state: "PENDING", dueAt: NOW + 5_000 }),
});

const release = (owner: string): Move => ({
  name: `release by ${owner}`,
  step: () => ({ step: "releaseDeliveries", owner }),
});

const redeliver: Move = {
  name: "redelivery",
  step: ({ endpoint }) => ({ step: "redeliver", endpoint, ids: [DELIVERY] }),
};

const forgetDeliveries: Move = {
  name: "forget deliveries",
  skips: true,
  step: () => ({ step: "forgetDeliveries", limit: 100 }),
};

const ended = ({ steps }: Place) => [
  steps.enqueue(JOB, 1, { webhook: { sealed: SEALED, receiver: "a.example:443" } }),
  steps.cancel(JOB, 60_000),
];

export const DELIVERY_SITUATIONS: readonly Situation[] = [
  {
    name: "a webhook that is due",
    before: (place) => [ended(place)],
    moves: [claim("x"), claim("y"), delivered("x", 1), release("x"), redeliver, forgetDeliveries],
  },
  {
    name: "a webhook under way",
    before: (place) => [ended(place), [claimBy("x", NOW + 1_000)]],
    moves: [
      delivered("x", 1),
      failed("x", 1),
      delivered("y", 1),
      release("x"),
      claim("y"),
      redeliver,
      forgetDeliveries,
    ],
  },
  {
    name: "a webhook whose server was lost",
    before: (place) => [ended(place), [claimBy("x", NOW)]],
    moves: [claim("y"), claim("x"), delivered("x", 1), delivered("x", 2), release("x"), redeliver],
  },
  {
    name: "a delivered webhook whose time is over",
    before: (place) => [
      ended(place),
      [claimBy("x", NOW)],
      [recordOf(place, "x", { started: 1, state: "DELIVERED", dueAt: NOW })],
    ],
    moves: [forgetDeliveries, redeliver, claim("x"), delivered("x", 1), forget],
  },
  {
    name: "a payload that a job and its webhook name, whose time is over",
    hasStoredPayload: true,
    before: (place) => [
      ended(place).slice(0, 1),
      [place.steps.take("w1")],
      [place.steps.finish("fail", JOB, { worker: "w1", error: place.stored })],
      [claimBy("x", NOW)],
      [recordOf(place, "x", { started: 1, state: "DELIVERED", dueAt: NOW })],
    ],
    moves: [forget, forgetDeliveries, redeliver, drain(JOB), setTtlLater(JOB)],
  },
  {
    name: "a payload that an ended job and its webhook name",
    hasStoredPayload: true,
    before: (place) => [
      ended(place).slice(0, 1),
      [place.steps.take("w1")],
      [place.steps.finish("fail", JOB, { worker: "w1", error: place.stored, retention: 60_000 })],
      [claimBy("x", NOW)],
      [recordOf(place, "x", { started: 1, state: "DELIVERED", dueAt: NOW })],
    ],
    moves: [retry(JOB), forgetDeliveries, drain(JOB)],
  },
  {
    name: "a waiting job with a large secret",
    hasStoredPayload: true,
    before: ({ steps, stored }) => [[steps.enqueue(JOB, 1, { secret: stored, body: bytes("{}") })]],
    moves: [resealSecret(JOB), purge, take("w1")],
  },
];
