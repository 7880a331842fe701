import type { Endpoint } from "../../domain/endpoint.ts";
import type { Engine } from "../engine.ts";
import { purposeOf } from "../purpose-of.ts";

/** Seals the variables that an endpoint adds to those of its template; undefined for none. */
export function sealEnv(
  engine: Engine,
  endpoint: string,
  env: Readonly<Record<string, string>>,
): string | undefined {
  if (Object.keys(env).length === 0) return undefined;
  const sealed = engine.secrets.seal(Buffer.from(JSON.stringify(env)), purposeOf("endpointEnv", endpoint));
  return Buffer.from(sealed).toString("base64");
}

/** Names and values of the variables. */
export function openEnv(
  engine: Engine,
  { id, sealedEnv }: Pick<Endpoint, "id" | "sealedEnv">,
): Record<string, string> {
  if (sealedEnv === undefined) return {};
  const opened = engine.secrets.open(Buffer.from(sealedEnv, "base64"), purposeOf("endpointEnv", id));
  return JSON.parse(Buffer.from(opened).toString());
}
