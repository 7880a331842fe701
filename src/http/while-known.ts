import { ForebayError } from "../domain/errors.ts";
import type { Engine } from "../engine/engine.ts";
import { ADMIN_KEY, type ConsoleSession, type SessionKey } from "../engine/records/ended-sessions.ts";

/** How long a held call may go on. */
export interface Revocable {
  /** Aborted when the caller disconnects, and when the key is revoked: then the reason is a ForebayError. */
  readonly signal: AbortSignal;
  /** The call is answered: stops watching. */
  [Symbol.dispose](): void;
}

/** What a held call depends on. */
export interface Held {
  readonly key: SessionKey;
  /** Undefined if the call was sent with the key itself. */
  readonly session: ConsoleSession | undefined;
  /** Aborted when the caller disconnects. */
  readonly gone: AbortSignal;
  /** Throws if the key or the session is no longer valid. */
  readonly check: () => void;
}

/**
 * Ends a held call when its key becomes invalid. It calls `check` when the record of the key changes, when a
 * session of the key is signed out, when the session expires, and when the old key of a rotation expires.
 */
export function whileKnown({ configuration, clock }: Engine, { key, session, gone, check }: Held): Revocable {
  // The admin key never changes.
  if (key.id === ADMIN_KEY.id && session === undefined) {
    return { signal: gone, [Symbol.dispose]: () => undefined };
  }
  const end = new AbortController();
  let stopTimer = (): void => undefined;

  function look(): void {
    try {
      check();
    } catch (error) {
      if (!(error instanceof ForebayError)) throw error;
      end.abort(error);
      return;
    }
    const rotated = configuration.get("key", key.id)?.previous?.until;
    const left = [rotated, session?.until].flatMap((until) =>
      until === undefined ? [] : until - clock.now(),
    );
    const next = Math.min(...left.filter((ms) => ms > 0));
    stopTimer();
    if (next < Infinity) stopTimer = clock.after(next, look);
  }

  const unwatch = [
    configuration.watch("key", key.id, look),
    ...(session === undefined ? [] : [configuration.watch("endedSessions", key.id, look)]),
  ];
  look();
  return {
    signal: AbortSignal.any([gone, end.signal]),
    [Symbol.dispose]() {
      for (const stop of unwatch) stop();
      stopTimer();
    },
  };
}
