import type { Template } from "../../domain/template.ts";
import { purposeOf, type WithSecrets } from "../secret-box.ts";
import type { StoredTemplate } from "./record-bodies.ts";
import { openSealedText } from "./sealed-env.ts";

export function sealTemplate(
  engine: WithSecrets,
  account: string,
  { env, ...template }: Template,
): StoredTemplate {
  const sealed = engine.secrets.seal(Buffer.from(JSON.stringify(env)), purposeOf("env", template.id));
  return { ...template, account, sealedEnv: Buffer.from(sealed).toString("base64") };
}

export function openTemplate(engine: WithSecrets, stored: StoredTemplate): Template {
  const { account: _account, sealedEnv: _sealedEnv, ...template } = stored;
  return { ...template, env: JSON.parse(Buffer.from(openTemplateEnv(engine, stored)).toString()) };
}

/** The environment alone, as JSON in bytes that are the caller's own. */
export function openTemplateEnv(engine: WithSecrets, { id, sealedEnv }: StoredTemplate): Uint8Array {
  return openSealedText(engine, sealedEnv, purposeOf("env", id));
}
