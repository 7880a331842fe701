import { type Layer, type Matrix, SHAPE, slopeOf, type Weights } from "./shape.ts";
import { softmax } from "./softmax.ts";
import { addScaled, dot, inverseSize } from "./vectors.ts";

const { width, heads, inner, context } = SHAPE;
const SIZE = width / heads;
const EACH_LAYER = Array.from({ length: SHAPE.layers });
const NOTHING = new Float64Array();

/**
 * Reads a text token by token: a transformer with decoder layers alone (norm before each half, heads with
 * ALiBi, ReLU). What earlier tokens have told is kept, so each token is worked through once.
 */
export class Reader {
  readonly #weights: Weights;
  readonly #keys = EACH_LAYER.map(() => new Float64Array(context * width));
  readonly #values = EACH_LAYER.map(() => new Float64Array(context * width));
  #count = 0;

  constructor(weights: Weights) {
    this.#weights = weights;
  }

  /** Tokens read so far. */
  get count(): number {
    return this.#count;
  }

  /** Reads one more token, of at most SHAPE.context; what the model has in mind then, `width` values. */
  read(token: number): Float64Array {
    const { embedding, layers } = this.#weights;
    const start = token * width;
    const state = normalized(embedding.values.subarray(start, start + width));
    for (const [index, layer] of layers.entries()) {
      addScaled(state, 0, this.#attention(index, layer, normalized(state)), 0, width, 1);
      const wide = product(layer.up, normalized(state));
      for (let at = 0; at < inner; at++) wide[at] = Math.max(0, wide[at] ?? 0);
      addScaled(state, 0, product(layer.down, wide), 0, width, 1);
    }
    this.#count++;
    return normalized(state);
  }

  /** How well each token of the vocabulary would follow, by what the model has in mind. */
  scores(state: Float64Array): Float64Array {
    return product(this.#weights.embedding, state);
  }

  #attention(index: number, layer: Layer, state: Float64Array): Float64Array {
    const keys = this.#keys[index] ?? NOTHING;
    const values = this.#values[index] ?? NOTHING;
    const here = this.#count;
    keys.set(product(layer.key, state), here * width);
    values.set(product(layer.value, state), here * width);
    const query = product(layer.query, state);
    const found = new Float64Array(width);
    const chances = new Float64Array(here + 1);
    for (let head = 0; head < heads; head++) {
      const from = head * SIZE;
      for (let at = 0; at <= here; at++) {
        const score = dot(query, from, keys, at * width + from, SIZE) / Math.sqrt(SIZE);
        chances[at] = score - slopeOf(head) * (here - at);
      }
      softmax(chances);
      for (let at = 0; at <= here; at++) {
        addScaled(found, from, values, at * width + from, SIZE, chances[at] ?? 0);
      }
    }
    return product(layer.output, found);
  }
}

function product({ rows, columns, values }: Matrix, vector: Float64Array): Float64Array {
  const result = new Float64Array(rows);
  for (let row = 0; row < rows; row++) result[row] = dot(values, row * columns, vector, 0, columns);
  return result;
}

function normalized(vector: Float64Array): Float64Array {
  const scale = inverseSize(vector, 0, width);
  return vector.map((value) => value * scale);
}
