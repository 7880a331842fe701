import { exponential } from "./exponential.ts";

/** Turns the first `length` scores into chances, in place: their sum is 1. */
export function softmax(scores: Float64Array, length = scores.length): void {
  let most = -Infinity;
  for (let at = 0; at < length; at++) most = Math.max(most, scores[at] ?? 0);
  let sum = 0;
  for (let at = 0; at < length; at++) {
    const weight = exponential((scores[at] ?? 0) - most);
    scores[at] = weight;
    sum += weight;
  }
  for (let at = 0; at < length; at++) scores[at] = (scores[at] ?? 0) / sum;
}
