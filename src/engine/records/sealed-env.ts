import type { Endpoint } from "../../domain/endpoint.ts";
import type { Template } from "../../domain/template.ts";
import { freeBytes, purposeOf, UnreadableSecret, type WithSecrets } from "../secret-box.ts";
import type { WithLog } from "../verb-needs.ts";
import type { StoredTemplate } from "./record-bodies.ts";

/** Encrypts the variables that an endpoint adds to those of its template; undefined for none. */
export function sealEnv(
  { secrets }: WithSecrets,
  endpoint: string,
  env: Readonly<Record<string, string>>,
): string | undefined {
  if (Object.keys(env).length === 0) return undefined;
  const sealed = secrets.seal(Buffer.from(JSON.stringify(env)), purposeOf("endpointEnv", endpoint));
  return Buffer.from(sealed).toString("base64");
}

/** The variables as JSON. The bytes belong to the caller. */
export function openEnvText(
  engine: WithSecrets,
  { id, sealedEnv }: Pick<Endpoint, "id" | "sealedEnv">,
): Uint8Array {
  if (sealedEnv === undefined) return Buffer.from("{}");
  return openSealedText(engine, sealedEnv, purposeOf("endpointEnv", id));
}

/** The variables. */
export function openEnv(
  engine: WithSecrets,
  endpoint: Pick<Endpoint, "id" | "sealedEnv">,
): Record<string, string> {
  return JSON.parse(Buffer.from(openEnvText(engine, endpoint)).toString());
}

/** The template as its record holds it. */
export function sealTemplate(
  engine: WithSecrets,
  account: string,
  { env, ...template }: Template,
): StoredTemplate {
  const sealed = engine.secrets.seal(Buffer.from(JSON.stringify(env)), purposeOf("env", template.id));
  return { ...template, account, sealedEnv: Buffer.from(sealed).toString("base64") };
}

/** The template with its environment. */
export function openTemplate(engine: WithSecrets, stored: StoredTemplate): Template {
  const { account: _account, sealedEnv: _sealedEnv, ...template } = stored;
  return { ...template, env: JSON.parse(Buffer.from(openTemplateEnv(engine, stored)).toString()) };
}

/** The environment as JSON. The bytes belong to the caller. */
export function openTemplateEnv(engine: WithSecrets, { id, sealedEnv }: StoredTemplate): Uint8Array {
  return openSealedText(engine, sealedEnv, purposeOf("env", id));
}

/** Decrypts a text of a record, which is base64. The bytes belong to the caller. */
export function openSealedText({ secrets }: WithSecrets, sealed: string, purpose: string): Uint8Array {
  const bytes = Buffer.from(sealed, "base64");
  try {
    return secrets.open(bytes, purpose);
  } finally {
    freeBytes(bytes);
  }
}

/**
 * The variables of a record for a list, as JSON. If no key of this server opens them, they are shown empty,
 * and that is logged: the other records of the list must still be shown. The bytes belong to the caller.
 */
export function readableEnv({ log }: WithLog, record: string, open: () => Uint8Array): Uint8Array {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error;
    log.error("the environment of a record cannot be decrypted, and is shown empty", {
      record,
      error: error.message,
    });
    return Buffer.from("{}");
  }
}
