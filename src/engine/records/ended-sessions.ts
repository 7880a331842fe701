import { DEFAULT_ACCOUNT, type EndedSessions } from "../../domain/account.ts";
import { ForebayError } from "../../domain/errors.ts";
import type { WithConfiguration } from "./configuration.ts";
import { putRecord, type RecordChanges } from "./put-record.ts";

/** A session of the console. The server keeps no list of sessions, only of those that people have ended. */
export interface ConsoleSession {
  readonly id: string;
  readonly since: number;
  /** When it ends by itself. */
  readonly until: number;
}

/** The key with which a person signed in. */
export interface SessionKey {
  readonly id: string;
  readonly account: string;
}

/** `FOREBAY_ADMIN_KEY`, which has no record. */
export const ADMIN_KEY: SessionKey = { id: "admin", account: DEFAULT_ACCOUNT.id };

/** So many ended sessions of one key are kept; beyond that, all sessions of the key end. */
export const ENDED_LIMIT = 100;

/** Whether the person has signed out. Reads memory only: every console request asks this. */
export function isSignedOut(
  { configuration }: WithConfiguration,
  key: SessionKey,
  session: ConsoleSession,
): boolean {
  const ended = configuration.get("endedSessions", key.id);
  if (ended === undefined) return false;
  return session.since <= ended.before || ended.sessions.some(({ id }) => id === session.id);
}

/** Ends the session on every server, also after a restart. */
export async function endSession(
  engine: RecordChanges,
  key: SessionKey,
  session: ConsoleSession,
): Promise<void> {
  while (!isSignedOut(engine, key, session)) {
    try {
      await putRecord(engine, "endedSessions", withEnded(engine, key, session));
      break;
    } catch (error) {
      // Another session of the key ended at the same moment; `putRecord` has read its record.
      if (!(error instanceof ForebayError && error.code === "CHANGED_MEANWHILE")) throw error;
    }
  }
  // A key that was revoked meanwhile leaves nothing behind.
  if (key.id === ADMIN_KEY.id || engine.configuration.get("key", key.id) !== undefined) return;
  await engine.store.apply([{ step: "remove", kind: "endedSessions", id: key.id }], engine.clock.now());
}

function withEnded(
  engine: RecordChanges,
  { id, account }: SessionKey,
  session: ConsoleSession,
): EndedSessions {
  const now = engine.clock.now();
  const { before, sessions } = engine.configuration.get("endedSessions", id) ?? { before: 0, sessions: [] };
  const kept = sessions.filter(({ until }) => now < until);
  if (kept.length >= ENDED_LIMIT) return { id, account, before: now, sessions: [] };
  return { id, account, before, sessions: [...kept, { id: session.id, until: session.until }] };
}
