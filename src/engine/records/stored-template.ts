import type { Template } from "../../domain/template.ts";
import type { Engine } from "../engine.ts";
import { purposeOf } from "../purpose-of.ts";
import { readableEnv } from "./readable-env.ts";

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
  return { ...template, env: envIn(engine, stored) };
}

/** The same for a list: without variables, if they cannot be decrypted. */
export function readableTemplate(engine: Engine, stored: StoredTemplate): Template {
  const { account: _account, sealedEnv: _sealedEnv, ...template } = stored;
  return { ...template, env: readableEnv(engine, `template ${stored.id}`, () => envIn(engine, stored)) };
}

function envIn(engine: Engine, { id, sealedEnv }: StoredTemplate): Template["env"] {
  const env = engine.secrets.open(Buffer.from(sealedEnv, "base64"), purposeOf("env", id));
  return JSON.parse(Buffer.from(env).toString());
}
