import { onAbort } from "./on-abort.ts";

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
