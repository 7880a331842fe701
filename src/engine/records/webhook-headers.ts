import type { Endpoint, SealedHeaders } from "../../domain/endpoint.ts";
import { ForebayError } from "../../domain/errors.ts";
import { headerFault } from "../../domain/webhook.ts";

import { purposeOf, type WithSecrets } from "../secret-box.ts";

/** Encrypts the headers for webhooks of an endpoint; undefined for none. Throws INVALID_FIELD. */
export function sealHeaders(
  engine: WithSecrets,
  endpoint: string,
  headers: Readonly<Record<string, string>>,
): SealedHeaders | undefined {
  const fault = headerFault(headers);
  if (fault !== undefined) throw new ForebayError("INVALID_FIELD", `webhookHeaders: ${fault}.`);
  const names = Object.keys(headers);
  if (names.length === 0) return undefined;
  const sealed = engine.secrets.seal(
    Buffer.from(JSON.stringify(headers)),
    purposeOf("webhookHeaders", endpoint),
  );
  return { names, sealed: Buffer.from(sealed).toString("base64") };
}

/** The names and values of the headers for webhooks of the endpoint. */
export function openHeaders(
  engine: WithSecrets,
  { id, webhookHeaders }: Pick<Endpoint, "id" | "webhookHeaders">,
): Record<string, string> {
  if (webhookHeaders === undefined) return {};
  const sealed = Buffer.from(webhookHeaders.sealed, "base64");
  const opened = engine.secrets.open(sealed, purposeOf("webhookHeaders", id));
  return JSON.parse(Buffer.from(opened).toString());
}
