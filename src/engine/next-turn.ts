/** Those who wait for their turn, in the order in which they came. */
const waiting: (() => void)[] = [];

/**
 * Long work goes in slices and waits here between them: one slice in each round of the event loop, however
 * many bodies are being looked at, so that they do not stall others together either.
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
