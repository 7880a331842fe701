import type { ComponentChildren } from "preact";
import { lexer, type Token, type Tokens } from "marked";

/**
 * A readme as Markdown, drawn from its tokens: no HTML is ever made of it, so none has to be cleaned. HTML in
 * it shows as the text that it is, links lead to http and https alone, and pictures are named, not loaded.
 */
export function Markdown({ text }: { text: string }) {
  return <div class="markdown">{lexer(text, { gfm: true }).map((token) => block(token))}</div>;
}

/** The tokens of Markdown; the library's own type has those of extensions among them, of which there are none. */
type Known =
  | Tokens.Heading
  | Tokens.Paragraph
  | Tokens.Code
  | Tokens.Blockquote
  | Tokens.List
  | Tokens.Table
  | Tokens.Hr
  | Tokens.Space
  | Tokens.Def
  | Tokens.Text
  | Tokens.HTML
  | Tokens.Strong
  | Tokens.Em
  | Tokens.Del
  | Tokens.Codespan
  | Tokens.Br
  | Tokens.Link
  | Tokens.Image
  | Tokens.Escape;

function block(token: Token): ComponentChildren {
  const known = token as Known;
  switch (known.type) {
    case "heading":
      return known.depth < 3 ? <h2>{inline(known.tokens)}</h2> : <h3>{inline(known.tokens)}</h3>;
    case "paragraph":
      return <p>{inline(known.tokens)}</p>;
    case "code":
      return (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it can be scrolled
        <pre tabIndex={0}>
          <code>{known.text}</code>
        </pre>
      );
    case "blockquote":
      return <blockquote>{blocks(known.tokens)}</blockquote>;
    case "list":
      return list(known as Tokens.List);
    case "table":
      return table(known as Tokens.Table);
    case "hr":
      return <hr />;
    case "space":
    case "def":
      return null;
    case "text":
      return <p>{"tokens" in known && known.tokens !== undefined ? inline(known.tokens) : known.text}</p>;
    default:
      return <p>{known.raw}</p>;
  }
}

function blocks(tokens: readonly Token[] | undefined): ComponentChildren {
  return tokens?.map((token) => block(token));
}

function list({ ordered, items }: Tokens.List): ComponentChildren {
  const all = items.map((item) => (
    <li>
      {item.tokens.map((token) =>
        token.type === "text" ? inline((token as Tokens.Text).tokens ?? [token]) : block(token),
      )}
    </li>
  ));
  return ordered ? <ol>{all}</ol> : <ul>{all}</ul>;
}

function table({ header, rows }: Tokens.Table): ComponentChildren {
  return (
    <div class="scroll">
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
  return tokens.map((token) => word(token as Known));
}

function word(token: Known): ComponentChildren {
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
    default:
      return token.raw;
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
