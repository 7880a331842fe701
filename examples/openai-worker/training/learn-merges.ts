import { FIRST_MERGE, pairKey, wordsOf } from "../model/tokenizer.ts";

/** The `count` merges that shorten the text most, each the most frequent pair after those before it. */
export function learnMerges(text: string, count: number): [number, number][] {
  const words = new Map<string, { tokens: number[]; times: number }>();
  for (const word of wordsOf(text)) {
    const known = words.get(word);
    if (known === undefined) words.set(word, { tokens: [...Buffer.from(word)], times: 1 });
    else known.times++;
  }
  const merges: [number, number][] = [];
  while (merges.length < count) {
    const pair = mostFrequent([...words.values()]);
    if (pair === undefined) return merges;
    const made = FIRST_MERGE + merges.length;
    merges.push(pair);
    for (const word of words.values()) word.tokens = merged(word.tokens, pair, made);
  }
  return merges;
}

interface Counted {
  readonly tokens: readonly number[];
  readonly times: number;
}

/** Of equals the one that was seen first. */
function mostFrequent(words: readonly Counted[]): [number, number] | undefined {
  const counts = new Map<number, number>();
  for (const { tokens, times } of words) {
    for (const [at, right] of tokens.entries()) {
      const left = tokens[at - 1];
      if (left === undefined) continue;
      const key = pairKey(left, right);
      counts.set(key, (counts.get(key) ?? 0) + times);
    }
  }
  let best: number | undefined;
  let most = 1;
  for (const [key, times] of counts) {
    if (times > most) [best, most] = [key, times];
  }
  return best === undefined ? undefined : [Math.floor(best / 65_536), best % 65_536];
}

function merged(tokens: readonly number[], [left, right]: [number, number], made: number): number[] {
  const result: number[] = [];
  for (const token of tokens) {
    if (token === right && result.at(-1) === left) result[result.length - 1] = made;
    else result.push(token);
  }
  return result;
}
