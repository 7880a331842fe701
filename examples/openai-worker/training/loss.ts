import { softmax } from "../model/softmax.ts";
import type { Weights } from "../model/shape.ts";
import { attention } from "./attention.ts";
import { type Node, Tape } from "./tape.ts";

/**
 * How badly the model guesses each token of a text by those before it, in nats a token; how that changes
 * with each weight, times `share`, is added to their gradients.
 */
export function addLoss(
  { embedding, layers }: Weights<Node>,
  tokens: readonly number[],
  share: number,
): number {
  const tape = new Tape();
  const read = tokens.slice(0, -1);
  let state = tape.normalized(tape.rowsOf(embedding, read));
  for (const layer of layers) {
    const seen = tape.normalized(state);
    const query = tape.product(layer.query, seen);
    const key = tape.product(layer.key, seen);
    const value = tape.product(layer.value, seen);
    state = tape.sum(state, tape.product(layer.output, attention(tape, query, key, value)));
    const wide = tape.rectified(tape.product(layer.up, tape.normalized(state)));
    state = tape.sum(state, tape.product(layer.down, wide));
  }
  const scores = tape.product(embedding, tape.normalized(state));
  let loss = 0;
  for (let row = 0; row < read.length; row++) {
    const chances = scores.values.slice(row * scores.columns, (row + 1) * scores.columns);
    softmax(chances);
    const next = tokens[row + 1] ?? 0;
    loss -= Math.log(chances[next] ?? 0);
    chances[next] = (chances[next] ?? 0) - 1;
    for (const [at, chance] of chances.entries()) {
      scores.gradients[row * scores.columns + at] = (chance * share) / read.length;
    }
  }
  tape.walkBack();
  return loss / read.length;
}
