import { randomBytes } from "node:crypto";
import type { Endpoint } from "../../domain/endpoint.ts";
import { ForebayError } from "../../domain/errors.ts";
import type { WithConfiguration } from "./configuration.ts";
import type { StoredWebhookSecret } from "./record-bodies.ts";
import { purposeOf, type WithSecrets } from "../secret-box.ts";
import { putRecord, type RecordChanges } from "./put-record.ts";

/** The secrets that sign the webhooks of an endpoint. They begin with whsec_ (Standard Webhooks). */
export interface WebhookSecret {
  readonly secret: string;
  readonly previous: { readonly secret: string; readonly until: number } | undefined;
}

const PREFIX = "whsec_";
const BYTES = 32;

/** The secret of the endpoint, created when it is first needed. */
export async function webhookSecretOf(
  engine: RecordChanges,
  endpoint: Pick<Endpoint, "id" | "account">,
): Promise<WebhookSecret> {
  const stored = storedSecret(engine, endpoint.id) ?? (await makeFirst(engine, endpoint));
  const { previous } = stored;
  return {
    secret: open(engine, stored.id, stored.sealed),
    previous:
      previous === undefined || previous.until <= engine.clock.now()
        ? undefined
        : { secret: open(engine, stored.id, previous.sealed), until: previous.until },
  };
}

/** Creates a new secret. The present one also signs for `overlap` ms. Throws CHANGED_MEANWHILE. */
export async function rotateWebhookSecret(
  engine: RecordChanges,
  endpoint: Pick<Endpoint, "id" | "account">,
  overlap: number,
): Promise<WebhookSecret> {
  const present = storedSecret(engine, endpoint.id) ?? (await makeFirst(engine, endpoint));
  const previous = { sealed: present.sealed, until: engine.clock.now() + overlap };
  await putRecord(engine, "webhookSecret", {
    ...fresh(engine, endpoint),
    ...(overlap > 0 ? { previous } : {}),
  });
  return webhookSecretOf(engine, endpoint);
}

/** The key of `webhook-signature`: the bytes after the prefix. */
export function secretBytes(secret: string): Uint8Array {
  return Buffer.from(secret.slice(PREFIX.length), "base64");
}

function storedSecret(engine: WithConfiguration, id: string): StoredWebhookSecret | undefined {
  return engine.configuration.get("webhookSecret", id);
}

/** If several calls or servers create the first secret at once, all use the one that was stored first. */
async function makeFirst(
  engine: RecordChanges,
  endpoint: Pick<Endpoint, "id" | "account">,
): Promise<StoredWebhookSecret> {
  const made = fresh(engine, endpoint);
  try {
    await putRecord(engine, "webhookSecret", made);
  } catch (error) {
    if (!(error instanceof ForebayError && error.code === "CHANGED_MEANWHILE")) throw error;
  }
  return storedSecret(engine, endpoint.id) ?? made;
}

function fresh(engine: WithSecrets, { id, account }: Pick<Endpoint, "id" | "account">): StoredWebhookSecret {
  const secret = `${PREFIX}${randomBytes(BYTES).toString("base64")}`;
  const sealed = engine.secrets.seal(Buffer.from(secret), purposeOf("webhookSecret", id));
  return { id, account, sealed: Buffer.from(sealed).toString("base64") };
}

function open(engine: WithSecrets, id: string, sealed: string): string {
  const opened = engine.secrets.open(Buffer.from(sealed, "base64"), purposeOf("webhookSecret", id));
  return Buffer.from(opened).toString();
}
