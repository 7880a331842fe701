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

/** Why a worker ends that did all it had to do. */
export const DRAINED = Symbol("drained");

/** Resolves when `ended` aborts because the worker is drained; rejects with any other reason. */
export function untilEnded(ended: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    onAbort(ended, () => {
      if (ended.reason === DRAINED) resolve();
      else reject(ended.reason);
    });
  });
}
