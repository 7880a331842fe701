import { ForebayError } from "./errors.ts";

/**
 * Calls `act` once when the signal aborts: at once if it has aborted already, which a listener would never
 * learn. The answer takes it back.
 */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  if (signal.aborted) {
    act();
    return () => undefined;
  }
  // Of its own: the same function may wait twice.
  const listener = (): void => act();
  signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}

/** A call is held no longer because its key is not good any more. A caller that has gone is told nothing. */
export function throwRevoked({ reason }: AbortSignal): void {
  if (reason instanceof ForebayError) throw reason;
}
