import { Lexer, type Token, type TokensList } from "marked";

/** Markdown of a readme, cut where formatting it would take too long; the rest is plain text. */
interface LexedReadme {
  readonly tokens: readonly Token[];
  readonly rest: string;
}

/** Characters of a readme that are formatted. Most readmes have fewer than 10,000. */
const FORMATTED = 32_768;

/** Characters of one paragraph or cell that are formatted: the time grows with the square of them. */
const LINE = 4_000;

/** Quotes, lists, emphasis and links inside each other, at most. */
const DEEP = 12;

/**
 * A readme comes from anybody who may publish a template. The library calls itself for each level of nesting:
 * 10,000 `>` overflow the stack, and 200,000 of them take minutes. So depth and size are limited, and what
 * lies beyond stays the text that it is.
 */
export function lexReadme(text: string): LexedReadme {
  const end = text.length <= FORMATTED ? text.length : text.lastIndexOf("\n", FORMATTED) + 1;
  return { tokens: new BoundedLexer({ gfm: true }).lex(text.slice(0, end)), rest: text.slice(end) };
}

class BoundedLexer extends Lexer {
  #depth = 0;

  override blockTokens(src: string, tokens?: Token[], isClipped?: boolean): Token[];
  override blockTokens(src: string, tokens?: TokensList, isClipped?: boolean): TokensList;
  override blockTokens(src: string, tokens: Token[] = [], isClipped?: boolean): Token[] {
    return this.#within(src, tokens, () => super.blockTokens(src, tokens, isClipped));
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if (src.length > LINE) return withText(src, tokens);
    return this.#within(src, tokens, () => super.inlineTokens(src, tokens));
  }

  #within(src: string, tokens: Token[], lex: () => Token[]): Token[] {
    if (this.#depth === DEEP) return withText(src, tokens);
    this.#depth++;
    const all = lex();
    this.#depth--;
    return all;
  }
}

function withText(src: string, tokens: Token[]): Token[] {
  tokens.push({ type: "text", raw: src, text: src });
  return tokens;
}
