/** Calls that wait for their turn, in order. */
const waiting: (() => void)[] = [];

/**
 * Long work is done in slices, and waits here between them. Each round of the event loop runs one slice of
 * all such work, so that other calls are not delayed.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(giveTurn);
  });
}

function giveTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(giveTurn);
}
