/**
 * Calls `act` once when the signal aborts, at once if it already has: a listener would miss that. The
 * returned function cancels it.
 */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  if (signal.aborted) {
    act();
    return () => undefined;
  }
  // A function of its own, because the same `act` may wait twice.
  const listener = (): void => act();
  signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}

/** The reason of a worker that ends because it is drained. */
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
