import { receiverOf } from "../../domain/webhook.ts";
import type { Webhook } from "../../store/steps.ts";
import type { Engine } from "../engine.ts";
import { purposeOf } from "../purpose-of.ts";

/**
 * Seals a job's `webhook` for the store, a JSON string as it was sent: what it holds of passwords and tokens
 * must not lie readable on the disk.
 */
export function sealWebhook(
  engine: Engine,
  endpoint: string,
  id: string,
  webhook: Uint8Array | undefined,
): Webhook | undefined {
  if (webhook === undefined) return undefined;
  return {
    sealed: engine.secrets.seal(webhook, purposeOf("webhook", endpoint, id)),
    receiver: receiverOf(addressIn(webhook)),
  };
}

/** The `webhook` of a job as it was sent, for its worker. */
export function openWebhook(engine: Engine, endpoint: string, id: string, sealed: Uint8Array): Uint8Array {
  return engine.secrets.open(sealed, purposeOf("webhook", endpoint, id));
}

/** The address that a `webhook` says. */
export function addressIn(webhook: Uint8Array): string {
  return JSON.parse(new TextDecoder().decode(webhook));
}
