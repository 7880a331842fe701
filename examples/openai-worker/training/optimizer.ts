import type { Node } from "./tape.ts";

const [KEPT_MEAN, KEPT_SQUARE] = [0.9, 0.95];

/** Adam (Kingma and Ba 2015): moves weights against their gradients, each at a pace of its own. */
export class Optimizer {
  readonly #parts: readonly { node: Node; mean: Float64Array; square: Float64Array }[];
  #meanLeft = 1;
  #squareLeft = 1;

  constructor(nodes: readonly Node[]) {
    this.#parts = nodes.map((node) => {
      const size = node.values.length;
      return { node, mean: new Float64Array(size), square: new Float64Array(size) };
    });
  }

  /** One step, after which the gradients are 0 again. */
  step(rate: number): void {
    this.#meanLeft *= KEPT_MEAN;
    this.#squareLeft *= KEPT_SQUARE;
    for (const { node, mean, square } of this.#parts) {
      const { values, gradients } = node;
      for (let at = 0; at < values.length; at++) {
        const gradient = gradients[at] ?? 0;
        const nextMean = KEPT_MEAN * (mean[at] ?? 0) + (1 - KEPT_MEAN) * gradient;
        const nextSquare = KEPT_SQUARE * (square[at] ?? 0) + (1 - KEPT_SQUARE) * gradient * gradient;
        mean[at] = nextMean;
        square[at] = nextSquare;
        const size = Math.sqrt(nextSquare / (1 - this.#squareLeft)) + 1e-8;
        values[at] = (values[at] ?? 0) - (rate * nextMean) / (1 - this.#meanLeft) / size;
      }
      gradients.fill(0);
    }
  }
}
