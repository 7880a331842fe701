/** Marks that no text contains: where a text ends, and who speaks. */
export const MARKS = { end: 256, system: 257, user: 258, assistant: 259 } as const;

/** The first token that a merge makes. */
export const FIRST_MERGE = 260;

/** Longer words are cut: what a word costs grows with the square of its length. */
const WORDS = / ?\p{L}{1,64}| ?\p{N}| ?[^\s\p{L}\p{N}]{1,64}|\s/gu;

/** The words that merges do not reach beyond, each with the blank before it. */
export function wordsOf(text: string): string[] {
  return text.match(WORDS) ?? [];
}

/**
 * Text as tokens and back: byte pair encoding over UTF-8 (Sennrich et al. 2016). Every text can be written,
 * one that training has not seen with more tokens.
 */
export class Tokenizer {
  readonly #ranks: ReadonlyMap<number, number>;
  readonly #bytes: Uint8Array[] = [];
  readonly #known = new Map<string, readonly number[]>();

  /** `merges` are the pairs that become one token, the first one first. */
  constructor(merges: readonly (readonly [number, number])[]) {
    this.#ranks = new Map(merges.map(([left, right], rank) => [pairKey(left, right), rank]));
    for (let byte = 0; byte < 256; byte++) this.#bytes.push(Uint8Array.of(byte));
    while (this.#bytes.length < FIRST_MERGE) this.#bytes.push(new Uint8Array());
    for (const [left, right] of merges) {
      this.#bytes.push(Buffer.concat([this.bytesOf(left), this.bytesOf(right)]));
    }
  }

  encode(text: string): number[] {
    return wordsOf(text).flatMap((word) => {
      const tokens = this.#known.get(word) ?? this.#merged(word);
      // Words of strangers are not kept without end.
      if (this.#known.size < 10_000) this.#known.set(word, tokens);
      return tokens;
    });
  }

  /** What a token stands for; nothing for a mark. It can be a part of a character. */
  bytesOf(token: number): Uint8Array {
    return this.#bytes[token] ?? new Uint8Array();
  }

  #merged(word: string): number[] {
    const tokens = [...Buffer.from(word)];
    for (;;) {
      let best: { rank: number; at: number } | undefined;
      for (let at = 0; at + 1 < tokens.length; at++) {
        const rank = this.#ranks.get(pairKey(tokens[at] ?? 0, tokens[at + 1] ?? 0));
        if (rank !== undefined && (best === undefined || rank < best.rank)) best = { rank, at };
      }
      if (best === undefined) return tokens;
      tokens.splice(best.at, 2, FIRST_MERGE + best.rank);
    }
  }
}

/** A pair of tokens as one number. */
export function pairKey(left: number, right: number): number {
  return left * 65_536 + right;
}
