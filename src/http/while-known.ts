import type { ApiKey } from "../domain/account.ts";
import { ForebayError } from "../domain/errors.ts";
import type { Engine } from "../engine/engine.ts";

/** How long a held call may go on. */
export interface Revocable {
  /** Aborted when the caller has gone, and when the key is revoked: then the reason is a ForebayError. */
  readonly signal: AbortSignal;
  /** The call is answered; nothing is watched any more. */
  [Symbol.dispose](): void;
}

/**
 * Watches over a call that is held: `check` throws when its key is no longer good, and is asked whenever the
 * record of the key changes, and when what the key was before a rotation ends. A key of the settings
 * (undefined) never changes.
 */
export function whileKnown(
  { configuration, clock }: Engine,
  key: ApiKey | undefined,
  gone: AbortSignal,
  check: () => void,
): Revocable {
  if (key === undefined) return { signal: gone, [Symbol.dispose]: () => undefined };
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
    const until = configuration.get("key", key?.id ?? "")?.previous?.until ?? 0;
    const left = until - clock.now();
    stopTimer();
    if (left > 0) stopTimer = clock.after(left, look);
  }

  const unwatch = configuration.watch("key", key.id, look);
  look();
  return {
    signal: AbortSignal.any([gone, end.signal]),
    [Symbol.dispose]() {
      unwatch();
      stopTimer();
    },
  };
}
