import type { Access } from "../domain/account.ts";
import type { Endpoint } from "../domain/endpoint.ts";
import { ForebayError } from "../domain/errors.ts";
import { covers, type Scope } from "../domain/scope.ts";
import type { Engine } from "../engine/engine.ts";
import { resolveEndpoint } from "../engine/records/find-endpoint.ts";
import type { Call } from "./call.ts";

/** Throws KEY_NOT_ALLOWED if the key lacks the scope; `what` begins the sentence. */
export function requireScope({ scopes }: Access, scope: Scope, what = "This call"): void {
  if (covers(scopes, scope)) return;
  const held = scopes.join(" and ");
  throw new ForebayError(
    "KEY_NOT_ALLOWED",
    `${what} requires a key with the scope ${scope}; this key has ${held}.`,
  );
}

/**
 * The endpoint of the path, by its id or name. The parameter of the call becomes the id, so handlers only see
 * ids. Undefined if there is no such endpoint, or if the key is bound to other endpoints.
 */
export function openedEndpoint(
  engine: Engine,
  { account, endpoints }: Access,
  call: Call,
): Endpoint | undefined {
  const text = call.parameters[0] ?? "";
  const endpoint = resolveEndpoint(engine, account, text);
  if (endpoint === undefined || endpoints?.includes(endpoint.id) === false) return undefined;
  if (endpoint.id !== text) call.parameters = [endpoint.id, ...call.parameters.slice(1)];
  return endpoint;
}

/** For paths without an endpoint. Throws KEY_NOT_ALLOWED for a key that is bound to endpoints. */
export function requireUnbound({ endpoints }: Access): void {
  if (endpoints === undefined) return;
  throw new ForebayError(
    "KEY_NOT_ALLOWED",
    "This key is limited to some endpoints and opens only their paths. Use another key.",
  );
}
