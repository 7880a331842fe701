import { SHAPE, slopeOf } from "../model/shape.ts";
import { softmax } from "../model/softmax.ts";
import { addScaled, dot } from "../model/vectors.ts";
import { type Node, nodeOf, type Tape } from "./tape.ts";

const { width, heads } = SHAPE;
const SIZE = width / heads;
const SCALE = 1 / Math.sqrt(SIZE);

/** For each row what it finds in the rows before it and in itself, as Reader does it row by row. */
export function attention(tape: Tape, query: Node, key: Node, value: Node): Node {
  const { rows } = query;
  const result = nodeOf(rows, width);
  const chances = Array.from({ length: heads * rows }, () => new Float64Array(rows));
  for (const [head, row, own] of each(chances, rows)) {
    const from = head * SIZE;
    for (let at = 0; at <= row; at++) {
      const score = dot(query.values, row * width + from, key.values, at * width + from, SIZE) * SCALE;
      own[at] = score - slopeOf(head) * (row - at);
    }
    softmax(own, row + 1);
    for (let at = 0; at <= row; at++) {
      addScaled(result.values, row * width + from, value.values, at * width + from, SIZE, own[at] ?? 0);
    }
  }
  tape.note(() => {
    const wanted = new Float64Array(rows);
    for (const [head, row, own] of each(chances, rows)) {
      const here = row * width + head * SIZE;
      for (let at = 0; at <= row; at++) {
        const there = at * width + head * SIZE;
        wanted[at] = dot(result.gradients, here, value.values, there, SIZE);
        addScaled(value.gradients, there, result.gradients, here, SIZE, own[at] ?? 0);
      }
      const mean = dot(wanted, 0, own, 0, row + 1);
      for (let at = 0; at <= row; at++) {
        const there = at * width + head * SIZE;
        const gradient = (own[at] ?? 0) * ((wanted[at] ?? 0) - mean) * SCALE;
        addScaled(query.gradients, here, key.values, there, SIZE, gradient);
        addScaled(key.gradients, there, query.values, here, SIZE, gradient);
      }
    }
  });
  return result;
}

function* each(
  chances: readonly Float64Array[],
  rows: number,
): Generator<readonly [head: number, row: number, chances: Float64Array]> {
  for (const [index, own] of chances.entries()) yield [Math.floor(index / rows), index % rows, own];
}
