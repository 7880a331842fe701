import { createHmac } from "node:crypto";
import type { ClaimedDelivery } from "../../domain/delivery.ts";
import type { Endpoint } from "../../domain/endpoint.ts";
import type { TraceContext } from "../../domain/trace-context.ts";
import type { RecordChanges } from "../records/put-record.ts";
import { openHeaders } from "../records/webhook-headers.ts";
import { secretBytes, type WebhookSecret, webhookSecretOf } from "../records/webhook-secrets.ts";
import { addressIn, openWebhook } from "./job-webhook.ts";

export interface WebhookCall {
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The address and headers of an attempt: headers of the endpoint, the trace of the job, and the signature of
 * Standard Webhooks 1.0.0 over id, time and body.
 */
export async function webhookCall(
  engine: RecordChanges,
  endpoint: Endpoint,
  { id, job, webhook }: ClaimedDelivery,
  body: Uint8Array,
): Promise<WebhookCall> {
  const secret = await webhookSecretOf(engine, endpoint);
  const timestamp = Math.floor(engine.clock.now() / 1_000).toString();
  const { address, trace } = openWebhook(engine, endpoint.id, job, webhook);
  const own = openHeaders(engine, endpoint);
  return {
    address: addressIn(address),
    headers: {
      ...traceHeaders(trace, own),
      ...own,
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": signatures(secret, id, timestamp, body),
    },
  };
}

/** Headers of the endpoint override the trace. */
function traceHeaders(
  trace: TraceContext | undefined,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const said = Object.keys(own).some((name) => /^trace(?:parent|state)$/i.test(name));
  if (trace === undefined || said) return {};
  const { traceparent, tracestate } = trace;
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
}

/** One signature for each valid secret, the newest first. */
function signatures(
  { secret, previous }: WebhookSecret,
  id: string,
  timestamp: string,
  body: Uint8Array,
): string {
  const secrets = previous === undefined ? [secret] : [secret, previous.secret];
  return secrets
    .map((text) => {
      const hash = createHmac("sha256", secretBytes(text)).update(`${id}.${timestamp}.`).update(body);
      return `v1,${hash.digest("base64")}`;
    })
    .join(" ");
}
