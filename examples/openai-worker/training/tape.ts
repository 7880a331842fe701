import { addScaled, dot, inverseSize } from "../model/vectors.ts";

/** A matrix, and how much the loss changes with each of its values. */
export interface Node {
  readonly rows: number;
  readonly columns: number;
  readonly values: Float64Array;
  readonly gradients: Float64Array;
}

export function nodeOf(rows: number, columns: number): Node {
  const size = rows * columns;
  return { rows, columns, values: new Float64Array(size), gradients: new Float64Array(size) };
}

/** The steps of a calculation, each of which knows the way back. */
export class Tape {
  readonly #back: (() => void)[] = [];

  /** Notes how to come from the gradients of a step's result to those of what it was made of. */
  note(back: () => void): void {
    this.#back.push(back);
  }

  /** From the last step to the first: each adds its share to the gradients of the weights. */
  walkBack(): void {
    for (const step of this.#back.toReversed()) step();
  }

  /** The rows of `table` that the tokens name. */
  rowsOf(table: Node, tokens: readonly number[]): Node {
    const { columns } = table;
    const result = nodeOf(tokens.length, columns);
    for (const [row, token] of tokens.entries()) {
      addScaled(result.values, row * columns, table.values, token * columns, columns, 1);
    }
    this.note(() => {
      for (const [row, token] of tokens.entries()) {
        addScaled(table.gradients, token * columns, result.gradients, row * columns, columns, 1);
      }
    });
    return result;
  }

  /** Each row of `input` through the matrix. */
  product(matrix: Node, input: Node): Node {
    const { rows: size, columns } = matrix;
    const result = nodeOf(input.rows, size);
    for (let row = 0; row < input.rows; row++) {
      for (let at = 0; at < size; at++) {
        result.values[row * size + at] = dot(
          matrix.values,
          at * columns,
          input.values,
          row * columns,
          columns,
        );
      }
    }
    this.note(() => {
      for (let row = 0; row < input.rows; row++) {
        const from = row * columns;
        for (let at = 0; at < size; at++) {
          const gradient = result.gradients[row * size + at] ?? 0;
          if (gradient === 0) continue;
          addScaled(input.gradients, from, matrix.values, at * columns, columns, gradient);
          addScaled(matrix.gradients, at * columns, input.values, from, columns, gradient);
        }
      }
    });
    return result;
  }

  sum(left: Node, right: Node): Node {
    const result = nodeOf(left.rows, left.columns);
    const size = result.values.length;
    for (const part of [left, right]) addScaled(result.values, 0, part.values, 0, size, 1);
    this.note(() => {
      for (const part of [left, right]) addScaled(part.gradients, 0, result.gradients, 0, size, 1);
    });
    return result;
  }

  /** Each row with values that are 1 on the average (RMSNorm, Zhang and Sennrich 2019). */
  normalized(input: Node): Node {
    const { rows, columns } = input;
    const result = nodeOf(rows, columns);
    const scales = new Float64Array(rows);
    for (let row = 0; row < rows; row++) {
      const scale = inverseSize(input.values, row * columns, columns);
      scales[row] = scale;
      addScaled(result.values, row * columns, input.values, row * columns, columns, scale);
    }
    this.note(() => {
      for (let row = 0; row < rows; row++) {
        const from = row * columns;
        const scale = scales[row] ?? 0;
        const along = dot(result.gradients, from, result.values, from, columns) / columns;
        addScaled(input.gradients, from, result.gradients, from, columns, scale);
        addScaled(input.gradients, from, result.values, from, columns, -scale * along);
      }
    });
    return result;
  }

  /** What is below nothing becomes nothing (ReLU). */
  rectified(input: Node): Node {
    const result = nodeOf(input.rows, input.columns);
    for (const [at, value] of input.values.entries()) result.values[at] = Math.max(0, value);
    this.note(() => {
      for (const [at, value] of input.values.entries()) {
        if (value > 0) input.gradients[at] = (input.gradients[at] ?? 0) + (result.gradients[at] ?? 0);
      }
    });
    return result;
  }
}
