import { MARKS } from "./tokenizer.ts";
import { softmax } from "./softmax.ts";

/** How the next token is chosen. */
export interface Choice {
  /** 0: always the likeliest; 1: as the model thinks; more: more evenly. */
  readonly temperature: number;
  /** Of the likeliest tokens those that have this chance together, above 0 to 1. */
  readonly topP: number;
  /** From 0 up to 1, a new number with each call. */
  readonly random: () => number;
}

/** One token, by how well each would follow. */
export function choose(scores: Float64Array, { temperature, topP, random }: Choice): number {
  const chances = scores.slice();
  // Nobody else speaks within an answer.
  for (const mark of [MARKS.system, MARKS.user, MARKS.assistant]) chances[mark] = -1e9;
  if (temperature === 0) return chances.indexOf(chances.reduce((most, one) => Math.max(most, one)));
  for (const [token, score] of chances.entries()) chances[token] = score / temperature;
  softmax(chances);
  const order = [...chances.keys()].sort((left, right) => (chances[right] ?? 0) - (chances[left] ?? 0));
  const kept: number[] = [];
  let together = 0;
  for (const token of order) {
    if (together >= topP && kept.length > 0) break;
    kept.push(token);
    together += chances[token] ?? 0;
  }
  let left = random() * together;
  return kept.find((token) => (left -= chances[token] ?? 0) < 0) ?? kept[0] ?? MARKS.end;
}
