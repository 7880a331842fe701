import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { Token, Tokens } from "marked";
import { lexReadme } from "./readme-lexer.ts";

/**
 * A readme as Markdown, rendered from its tokens without HTML, so nothing needs sanitizing. HTML in it is
 * shown as text, links lead only to http and https, and pictures are named but not loaded.
 */
export function Markdown({ text }: { text: string }) {
  const { tokens, rest } = useMemo(() => lexReadme(text), [text]);
  return (
    <div class="markdown">
      {tokens.map((token) => block(token))}
      {rest === "" ? null : (
        <>
          <p class="soft">The rest of this readme is too long to format.</p>
          <pre>{rest}</pre>
        </>
      )}
    </div>
  );
}

/** Blocks, and parts of a line. The library's own type includes extensions. */
type Block =
  | Tokens.Heading
  | Tokens.Paragraph
  | Tokens.Code
  | Tokens.Blockquote
  | Tokens.List
  | Tokens.Table
  | Tokens.Hr
  | Tokens.Space
  | Tokens.Def;
type Word =
  | Tokens.Text
  | Tokens.Strong
  | Tokens.Em
  | Tokens.Del
  | Tokens.Codespan
  | Tokens.Br
  | Tokens.Link
  | Tokens.Image
  | Tokens.Escape;

const BLOCKS: ReadonlySet<string> = new Set<Block["type"]>([
  "heading",
  "paragraph",
  "code",
  "blockquote",
  "list",
  "table",
  "hr",
  "space",
  "def",
]);
const WORDS: ReadonlySet<string> = new Set<Word["type"]>([
  "text",
  "strong",
  "em",
  "del",
  "codespan",
  "br",
  "link",
  "image",
  "escape",
]);

function isBlock(token: Token): token is Block {
  return BLOCKS.has(token.type);
}

function isWord(token: Token): token is Word {
  return WORDS.has(token.type);
}

/** Everything else, HTML above all, is shown as text. */
function block(token: Token): ComponentChildren {
  if (isWord(token)) return <p>{word(token)}</p>;
  if (!isBlock(token)) return <p>{token.raw}</p>;
  switch (token.type) {
    case "heading":
      return token.depth < 3 ? <h2>{inline(token.tokens)}</h2> : <h3>{inline(token.tokens)}</h3>;
    case "paragraph":
      return <p>{inline(token.tokens)}</p>;
    case "code":
      return (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it can be scrolled
        <pre tabIndex={0}>
          <code>{token.text}</code>
        </pre>
      );
    case "blockquote":
      return <blockquote>{blocks(token.tokens)}</blockquote>;
    case "list":
      return list(token);
    case "table":
      return table(token);
    case "hr":
      return <hr />;
    case "space":
    case "def":
      return null;
  }
}

function blocks(tokens: readonly Token[] | undefined): ComponentChildren {
  return tokens?.map((token) => block(token));
}

function list({ ordered, items }: Tokens.List): ComponentChildren {
  const all = items.map((item) => (
    <li>{item.tokens.map((token) => (isWord(token) ? word(token) : block(token)))}</li>
  ));
  return ordered ? <ol>{all}</ol> : <ul>{all}</ul>;
}

function table({ header, rows }: Tokens.Table): ComponentChildren {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="A table">
      <table>
        <thead>
          <tr>
            {header.map(({ tokens }) =>
              tokens.length === 0 ? <td /> : <th scope="col">{inline(tokens)}</th>,
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells) => (
            <tr>
              {cells.map(({ tokens }) => (
                <td>{inline(tokens)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(tokens: readonly Token[]): ComponentChildren {
  return tokens.map((token) => (isWord(token) ? word(token) : token.raw));
}

function word(token: Word): ComponentChildren {
  switch (token.type) {
    case "strong":
      return <strong>{inline(token.tokens)}</strong>;
    case "em":
      return <em>{inline(token.tokens)}</em>;
    case "del":
      return <del>{inline(token.tokens)}</del>;
    case "codespan":
      return <code>{token.text}</code>;
    case "br":
      return <br />;
    case "link":
      return link(token.href, inline(token.tokens));
    case "image":
      return link(token.href, `[picture: ${token.text}]`);
    case "escape":
      return token.text;
    case "text":
      return "tokens" in token && token.tokens !== undefined ? inline(token.tokens) : token.text;
  }
}

function link(href: string, shown: ComponentChildren): ComponentChildren {
  const address = /^https?:\/\//i.test(href) ? URL.parse(href) : null;
  if (address === null) return <span>{shown}</span>;
  return (
    <a href={address.href} rel="noopener noreferrer nofollow" target="_blank">
      {shown}
    </a>
  );
}
