import { SHAPE } from "./shape.ts";
import type { LanguageModel } from "./language-model.ts";
import { addScaled, dot } from "./vectors.ts";
import { MARKS } from "./tokenizer.ts";

/** What the model has in mind with a text, on the average over its tokens, as a vector of the length 1. */
export function embed(model: LanguageModel, tokens: readonly number[]): Float64Array {
  const { width } = SHAPE;
  const reader = model.reader();
  reader.read(MARKS.end);
  const sum = new Float64Array(width);
  for (const token of tokens) addScaled(sum, 0, reader.read(token), 0, width, 1);
  const length = Math.sqrt(dot(sum, 0, sum, 0, width));
  return sum.map((value) => value / length);
}
