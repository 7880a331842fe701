import type { Endpoint } from "../../domain/endpoint.ts";
import type { Engine } from "../engine.ts";
import { openSealedText } from "./open-sealed-text.ts";
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

/** Names and values of the variables, as JSON in bytes that are the caller's own. */
export function openEnvText(
  engine: Engine,
  { id, sealedEnv }: Pick<Endpoint, "id" | "sealedEnv">,
): Uint8Array {
  if (sealedEnv === undefined) return Buffer.from("{}");
  return openSealedText(engine, sealedEnv, purposeOf("endpointEnv", id));
}

/** Names and values of the variables. */
export function openEnv(
  engine: Engine,
  endpoint: Pick<Endpoint, "id" | "sealedEnv">,
): Record<string, string> {
  return JSON.parse(Buffer.from(openEnvText(engine, endpoint)).toString());
}
