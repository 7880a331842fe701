import { Lexer, type Token, type TokensList } from "marked";

/** The Markdown of a readme. Where formatting would take too long, the rest is plain text. */
interface LexedReadme {
  readonly tokens: readonly Token[];
  readonly rest: string;
}

/** How many characters of a readme are formatted. Most readmes have fewer than 10,000. */
const FORMATTED = 32_768;

/** How many characters of one paragraph or cell are formatted: the time grows with their square. */
const LINE = 4_000;

/** The deepest nesting of quotes, lists, emphasis and links. */
const DEEP = 12;

/**
 * Anybody who may publish a template can write a readme. The library recurses for each level of nesting:
 * 10,000 `>` overflow the stack, and 200,000 take minutes. So depth and size are limited, and the rest stays
 * text.
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
