import { type TraceContext, traceContext } from "../../domain/trace-context.ts";
import { receiverOf } from "../../domain/webhook.ts";
import type { Webhook } from "../../store/enqueue-step.ts";

import { openOfJob } from "../job-secret.ts";
import { purposeOf, type WithSecrets } from "../secret-box.ts";

/** The webhook that is called at the end of a job. */
export interface JobWebhook {
  /** The JSON string of the request. */
  readonly address: Uint8Array;
  /** The trace of the job. */
  readonly trace: TraceContext | undefined;
}

/** Separates address, traceparent and tracestate: no JSON string and no header has one. */
const SEPARATOR = "\n";

/**
 * Encrypts a job's `webhook` for the store: its passwords and tokens must not be readable on the disk. It
 * includes the trace of the job, so that a delivery has the trace even if the job is gone.
 */
export function sealWebhook(
  engine: WithSecrets,
  endpoint: string,
  id: string,
  { address, trace }: JobWebhook,
): Webhook {
  const parts = trace === undefined ? [] : [trace.traceparent, trace.tracestate ?? ""];
  const behind = Buffer.from(parts.map((part) => `${SEPARATOR}${part}`).join(""));
  const bytes = behind.length === 0 ? address : Buffer.concat([address, behind]);
  return {
    sealed: engine.secrets.seal(bytes, purposeOf("webhook", endpoint, id)),
    receiver: receiverOf(addressIn(address)),
  };
}

/** Decrypts the `webhook` of a job, for its worker and for the call at its end. Throws PAYLOAD_DAMAGED. */
export function openWebhook(
  engine: WithSecrets,
  endpoint: string,
  id: string,
  sealed: Uint8Array,
): JobWebhook {
  const bytes = openOfJob(engine, sealed, "webhook", endpoint, id);
  const end = bytes.indexOf(SEPARATOR.charCodeAt(0));
  if (end < 0) return { address: bytes, trace: undefined };
  const [, traceparent, tracestate] = new TextDecoder().decode(bytes.subarray(end)).split(SEPARATOR);
  return { address: bytes.subarray(0, end), trace: traceContext(traceparent, tracestate) };
}

/** The address in a `webhook`. */
export function addressIn(webhook: Uint8Array): string {
  return JSON.parse(new TextDecoder().decode(webhook));
}
