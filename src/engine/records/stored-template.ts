import type { Template } from "../../domain/template.ts";
import type { Engine } from "../engine.ts";
import { openSealedText } from "./open-sealed-text.ts";
import { purposeOf } from "../purpose-of.ts";

/**
 * A template as its record holds it: the environment can hold secrets, so it lies there sealed, as base64.
 */
export interface StoredTemplate extends Omit<Template, "env"> {
  readonly account: string;
  readonly sealedEnv: string;
}

export function sealTemplate(
  engine: Engine,
  account: string,
  { env, ...template }: Template,
): StoredTemplate {
  const sealed = engine.secrets.seal(Buffer.from(JSON.stringify(env)), purposeOf("env", template.id));
  return { ...template, account, sealedEnv: Buffer.from(sealed).toString("base64") };
}

export function openTemplate(engine: Engine, stored: StoredTemplate): Template {
  const { account: _account, sealedEnv: _sealedEnv, ...template } = stored;
  return { ...template, env: JSON.parse(Buffer.from(openTemplateEnv(engine, stored)).toString()) };
}

/** The environment alone, as JSON in bytes that are the caller's own. */
export function openTemplateEnv(engine: Engine, { id, sealedEnv }: StoredTemplate): Uint8Array {
  return openSealedText(engine, sealedEnv, purposeOf("env", id));
}
