/** How large the model is: a transformer of the usual kind, ten thousand times smaller than usual. */
export const SHAPE = {
  /** Tokens that it knows: 256 bytes, 4 marks, and what merges make of them. */
  vocabulary: 768,
  width: 64,
  layers: 2,
  heads: 4,
  inner: 256,
  /** Tokens that prompt and answer may have together. */
  context: 512,
} as const;

/** A matrix of the model, row after row. */
export interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly values: Float64Array;
}

export interface Layer<Part = Matrix> {
  readonly query: Part;
  readonly key: Part;
  readonly value: Part;
  readonly output: Part;
  readonly up: Part;
  readonly down: Part;
}

/** All that training makes; the embedding of a token is its row of the last step too. */
export interface Weights<Part = Matrix> {
  readonly embedding: Part;
  readonly layers: readonly Layer<Part>[];
}

/** Makes the weights with `part`, called once for each matrix, in the order in which the file has them. */
export function weightsOf<Part>(part: (rows: number, columns: number, name: string) => Part): Weights<Part> {
  const { vocabulary, width, inner } = SHAPE;
  const embedding = part(vocabulary, width, "embedding");
  const layers = Array.from({ length: SHAPE.layers }, () => ({
    query: part(width, width, "query"),
    key: part(width, width, "key"),
    value: part(width, width, "value"),
    output: part(width, width, "output"),
    up: part(inner, width, "up"),
    down: part(width, inner, "down"),
  }));
  return { embedding, layers };
}

/** How much less a head looks at what lies a token further back (ALiBi, Press et al. 2021). */
export function slopeOf(head: number): number {
  return 1 / 4 ** (head + 1);
}
