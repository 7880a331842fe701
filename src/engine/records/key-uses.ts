import type { ApiKey } from "../../domain/account.ts";
import { ForebayError } from "../../domain/errors.ts";
import type { WithConfiguration } from "./configuration.ts";
import { putRecord, type RecordChanges } from "./put-record.ts";

export interface KeyUses {
  /** The last use of each key that is not stored yet, by the id of the key. */
  readonly keysUsed: Map<string, number>;
}

/** A use is stored at most once a minute, so after a restart it is known to the minute. */
const WRITTEN_EVERY = 60_000;

/** When the key was last used; undefined: never. */
export function lastUse(
  { configuration, keysUsed }: WithConfiguration & KeyUses,
  { id }: ApiKey,
): number | undefined {
  return keysUsed.get(id) ?? configuration.get("keyUse", id)?.at;
}

/**
 * Stores the last uses of keys whose stored use is a minute old. Two servers that store the same key at once
 * both mean now, so one of them is enough.
 */
export async function writeKeyUses(engine: RecordChanges & KeyUses): Promise<void> {
  const { configuration, keysUsed } = engine;
  for (const [id, at] of keysUsed) {
    const written = configuration.get("keyUse", id)?.at ?? 0;
    const key = configuration.get("key", id);
    if (key === undefined || at <= written) keysUsed.delete(id);
    else if (at >= written + WRITTEN_EVERY) await write(engine, { id, account: key.account, at });
  }
}

async function write(engine: RecordChanges, use: { id: string; account: string; at: number }): Promise<void> {
  try {
    await putRecord(engine, "keyUse", use);
    // If the key was revoked meanwhile, nothing of it is kept.
    if (engine.configuration.get("key", use.id) !== undefined) return;
    await engine.store.apply([{ step: "remove", kind: "keyUse", id: use.id }], engine.clock.now());
  } catch (error) {
    if (!(error instanceof ForebayError && error.code === "CHANGED_MEANWHILE")) throw error;
  }
}
