import { type Access, type ApiKey, DEFAULT_ACCOUNT } from "../../domain/account.ts";
import { ForebayError } from "../../domain/errors.ts";
import { covers } from "../../domain/scope.ts";
import { digestOf, newKeyText, newRecordId } from "../digest.ts";
import type { WithConfiguration } from "./configuration.ts";
import type { KeyUses } from "./key-uses.ts";
import { accountOf } from "./accounts.ts";
import { endpointNotFound, resolveEndpoint } from "./find-endpoint.ts";
import { putRecord, type RecordChanges } from "./put-record.ts";

export interface NewKey {
  readonly record: ApiKey;
  /** The text of the key. It is not stored, and cannot be read again. */
  readonly text: string;
}

/**
 * Creates the first key of an empty server and answers it; undefined if there is a key already. If several
 * servers start together on an empty database, one of them creates it.
 */
export async function createFirstKey(engine: RecordChanges): Promise<string | undefined> {
  await engine.configuration.refresh();
  if (engine.configuration.all("key").length > 0) return undefined;
  try {
    const { text } = await putNewKey(engine, "admin", { account: DEFAULT_ACCOUNT.id, scopes: ["admin"] });
    return text;
  } catch (error) {
    if (!(error instanceof ForebayError && error.code === "NAME_TAKEN")) throw error;
    return undefined;
  }
}

/**
 * Creates a key with at most the rights of the key that asks. `access` may name endpoints by id or name; the
 * key stores their ids. Throws KEY_NOT_ALLOWED, ACCOUNT_NOT_FOUND, ENDPOINT_NOT_FOUND, NAME_TAKEN.
 */
export async function createKey(
  engine: RecordChanges,
  caller: Access,
  name: string,
  access: Access,
): Promise<NewKey> {
  refuseUnlessCovered(caller, access);
  const { id: account } = accountOf(engine, access.account);
  const endpoints = access.endpoints?.map((text) => {
    const endpoint = resolveEndpoint(engine, account, text);
    if (endpoint === undefined) throw endpointNotFound(text);
    return endpoint.id;
  });
  return putNewKey(engine, name, { ...access, endpoints: endpoints && [...new Set(endpoints)] });
}

/**
 * Gives the key a new text. The present text stays valid for `overlap` ms; an older one is refused from now
 * on. Throws KEY_NOT_FOUND, KEY_NOT_ALLOWED, CHANGED_MEANWHILE.
 */
export async function rotateKey(
  engine: RecordChanges,
  caller: Access,
  id: string,
  overlap: number,
): Promise<NewKey> {
  const { previous: _, ...key } = keyOf(engine, caller, id);
  // Who rotates a key gets its new text.
  refuseUnlessCovered(caller, key);
  const text = newKeyText(id);
  const previous = { digest: key.digest, until: engine.clock.now() + overlap };
  const record: ApiKey = { ...key, digest: digestOf(text), ...(overlap > 0 ? { previous } : {}) };
  await putRecord(engine, "key", record);
  return { record, text };
}

/** Revokes the key. Throws KEY_NOT_FOUND, KEY_NOT_ALLOWED. */
export async function revokeKey(engine: RecordChanges & KeyUses, caller: Access, id: string): Promise<void> {
  refuseUnlessCovered(caller, keyOf(engine, caller, id));
  const now = engine.clock.now();
  await engine.store.apply([{ step: "remove", kind: "key", id }], now);
  engine.keysUsed.delete(id);
  for (const kind of ["keyUse", "endedSessions"] as const) {
    await engine.store.apply([{ step: "remove", kind, id }], now);
  }
  await engine.configuration.refresh();
}

/** The account's keys, the oldest first. */
export function keysOf({ configuration }: WithConfiguration, account: string): ApiKey[] {
  return configuration
    .all("key")
    .filter((key) => key.account === account)
    .sort((a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0) || (a.id < b.id ? -1 : 1));
}

/** The key, if it belongs to the caller's account, or if the caller is an admin. Throws KEY_NOT_FOUND. */
function keyOf(engine: WithConfiguration, caller: Access, id: string): ApiKey {
  const key = engine.configuration.get("key", id);
  if (key === undefined || (key.account !== caller.account && !covers(caller.scopes, "admin"))) {
    throw new ForebayError("KEY_NOT_FOUND", `There is no key ${id}.`);
  }
  return key;
}

/** Otherwise a key could create a stronger one. */
function refuseUnlessCovered(caller: Access, { account, scopes }: Access): void {
  if (account !== caller.account && !covers(caller.scopes, "admin")) {
    throw new ForebayError(
      "KEY_NOT_ALLOWED",
      "Managing the keys of another account requires a key with the scope admin.",
    );
  }
  const beyond = scopes.find((scope) => !covers(caller.scopes, scope));
  if (beyond === undefined) return;
  throw new ForebayError(
    "KEY_NOT_ALLOWED",
    `Only a key with the scope ${beyond} can create, rotate or revoke such a key.`,
  );
}

async function putNewKey(engine: RecordChanges, name: string, access: Access): Promise<NewKey> {
  const id = newRecordId();
  const text = newKeyText(id);
  const record: ApiKey = { ...access, id, name, digest: digestOf(text), createdAt: engine.clock.now() };
  await putRecord(engine, "key", record);
  return { record, text };
}
