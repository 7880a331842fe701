import { z } from "zod";
import { type ApiKey, DEFAULT_ACCOUNT } from "../../domain/account.ts";
import { digestOf, newKeyText, newRecordId } from "../digest.ts";
import type { RecordAccess } from "./configuration.ts";

/** The file in a data directory in which the operator requests an admin key. */
export const KEY_REQUEST_FILE = "admin-key-request.json";

const REQUEST = z.strictObject({
  id: z.string().regex(/^[a-z0-9]{14}$/),
  /** SHA-256 of the key. No file ever has the key itself. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
});

export type KeyRequest = z.infer<typeof REQUEST>;

/** A new admin key, and what a server needs to know to accept it. */
export function newKeyRequest(): { readonly request: KeyRequest; readonly text: string } {
  const id = newRecordId();
  const text = newKeyText(id);
  return { request: { id, digest: digestOf(text) }, text };
}

/** Undefined if the text is not a request. */
export function keyRequestIn(text: string): KeyRequest | undefined {
  try {
    return REQUEST.safeParse(JSON.parse(text)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * Creates the key, whatever the limit of keys: nobody could delete one first. A key that exists already stays
 * as it is.
 */
export async function createRequestedKey(engine: RecordAccess, { id, digest }: KeyRequest): Promise<void> {
  const { id: account } = DEFAULT_ACCOUNT;
  const now = engine.clock.now();
  const key: ApiKey = { id, account, name: `admin-${id}`, scopes: ["admin"], digest, createdAt: now };
  const record = { kind: "key", id, account, name: key.name, version: 1, body: JSON.stringify(key) } as const;
  await engine.store.apply([{ step: "put", record, needs: undefined, limit: undefined }], now);
  await engine.configuration.refresh();
}
