import type { ClaimDeliveries, DeliveryOutcome } from "../../src/store/delivery-steps.ts";
import type { Step } from "../../src/store/steps.ts";
import type { Store } from "../../src/store/store.ts";
import { bytes } from "../model/bytes.ts";
import { type Queue, START } from "./queue.ts";

export const SEALED = bytes("sealed address");

/** The same steps, with a webhook at each submission. */
export function withWebhooks(steps: readonly Step[], receiver = "a.example:443") {
  return steps.map((step) =>
    step.step === "enqueue" ? { ...step, webhook: { sealed: SEALED, receiver } } : step,
  );
}

export async function endWithWebhook(
  queue: Queue,
  id: string,
  receiver?: string,
  now = START,
): Promise<void> {
  const steps = [queue.steps.enqueue(id, 1), queue.steps.cancel(id)];
  await queue.sendAll(withWebhooks(steps, receiver), now);
}

export async function claim(store: Store, given: Partial<ClaimDeliveries> = {}, now = START) {
  const everything = { owner: "x", until: 1e15, limit: 1_000, byteLimit: Infinity, each: 1_000, room: [] };
  const [claimed] = await store.apply([{ step: "claimDeliveries", ...everything, ...given }], now);
  return claimed;
}

type Outcome = Omit<DeliveryOutcome, "last"> & { readonly last?: DeliveryOutcome["last"] | undefined };

export async function record(store: Store, given: Outcome, owner = "x") {
  const last = given.last ?? { at: START, status: 200, reason: undefined };
  const step = { step: "recordDeliveries", owner, outcomes: [{ ...given, last }] } as const;
  const [answer] = await store.apply([step], START);
  return answer;
}
