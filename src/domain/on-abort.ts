import { ForebayError } from "./errors.ts";

/**
 * Calls `act` once when the signal aborts; at once if it has aborted already, because a listener would not be
 * called then. Call the answer to cancel that.
 */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  if (signal.aborted) {
    act();
    return () => undefined;
  }
  // A function of its own: the same `act` may be registered twice.
  const listener = (): void => act();
  signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}

/** The waiting call must end because its key is no longer valid. If the caller is gone, nobody is told. */
export function throwRevoked({ reason }: AbortSignal): void {
  if (reason instanceof ForebayError) throw reason;
}
