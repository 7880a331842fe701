/*
 * The fenced blocks of README.md, docs/ and examples/ run as they are written: each page in a directory, a
 * network and a shell session of its own, its blocks in order. How a block is run follows from its language:
 *
 *   sh, bash           in the page's session; a command that fails, or an HTTP error for curl, fails the page
 *   js, ts, python     as a program of its own
 *   output             compared with what the block before it printed; `…` stands for anything in a line,
 *                      and a line of `…` for any lines
 *   json, yaml, toml   parsed
 *   mermaid            left to test/docs.test.ts
 *   anything else      a failure, unless a comment says what it is
 *
 * A comment on the line above a block, which readers do not see, says what else is to be done:
 *
 *   <!-- snippet: file=NAME -->                 written to this file, which a command of the page uses
 *   <!-- snippet: background until "TEXT" -->   runs on; the next block begins when it has printed the text
 *   <!-- snippet: from the background -->       an output that the newest block in the background prints
 *   <!-- snippet: exits with 2 -->              has to fail with this exit code (22: an HTTP error for curl)
 *   <!-- snippet: later -->                     runs after the block that follows it
 *   <!-- snippet: needs PROGRAM -->             left out where it is not installed; with CI=true a failure
 *   <!-- snippet: part of PATH -->              not run: the file of the repository has these very lines
 *   <!-- snippet: excerpt -->                   not run: something to read. Keep these few
 *   <!-- excerpt: WHY -->                       the same, with the reason
 *
 * Several stand in one comment with commas between them. A comment anywhere on the page says what its reader
 * has before the first block, in lines of shell; test/snippets/session.sh lists what can be asked for:
 *
 *   <!-- snippets: server -->
 *
 * $FOREBAY_KEY is a key of every server on the page, and `forebay` is on the PATH. A block has no
 * placeholders such as <id>: use the name of an endpoint, or a variable that an earlier block sets.
 */

export interface Block {
  readonly language: string;
  readonly text: string;
  /** Where its first line stands in the page, counted from 1. */
  readonly line: number;
  readonly marks: Marks;
}

export interface Marks {
  readonly isExcerpt: boolean;
  readonly file?: string;
  /** It runs on while the next blocks run; they begin when it has printed this. */
  readonly background?: string;
  /** It is the output of the newest block in the background, which may still come. */
  readonly isFromBackground: boolean;
  /** The exit code that it has to end with; undefined: 0. */
  readonly exit?: number;
  /** A program without which the block is left out. */
  readonly needs?: string;
  /** The block after it runs first. */
  readonly isLater: boolean;
  /** A file of the repository that has these lines. */
  readonly partOf?: string;
}

export interface Page {
  readonly path: string;
  /** What the page's reader has before the first block, as lines of shell. */
  readonly setup: string;
  readonly blocks: readonly Block[];
  /** Sentences about marks that cannot be read. */
  readonly faults: readonly string[];
}

const FENCE = /^( *)(`{3,}|~{3,})\s*(\S*)\s*$/;
const COMMENT = /^ *<!-- snippet: (.*?) -->$/;
const EXCERPT = /^ *<!-- excerpt: .* -->$/;
const SETUP = /<!-- snippets:([\s\S]*?)-->/;

/** A page with its blocks in the order in which they run. */
export function parsePage(path: string, text: string): Page {
  const faults: string[] = [];
  const lines = text.split("\n");
  const blocks: Block[] = [];
  for (let index = 0; index < lines.length; index++) {
    const [, indent = "", fence, language = ""] = FENCE.exec(lines[index] ?? "") ?? [];
    if (fence === undefined) continue;
    const end = lines.findIndex((line, at) => at > index && line.trim() === fence);
    if (end === -1) {
      faults.push(`${path}:${index + 1}: the block does not end`);
      break;
    }
    const content = lines.slice(index + 1, end).map((line) => line.slice(indent.length));
    const above = lines[index - 1] ?? "";
    const comment = EXCERPT.test(above) ? "excerpt" : (COMMENT.exec(above)?.[1] ?? "");
    const { marks, unknown } = readMarks(comment);
    faults.push(...unknown.map((word) => `${path}:${index}: unknown mark: ${word}`));
    blocks.push({ language, text: `${content.join("\n")}\n`, line: index + 1, marks });
    index = end;
  }
  return { path, setup: SETUP.exec(text)?.[1]?.trim() ?? "", blocks: inOrder(blocks), faults };
}

/** The marks that a comment can have, between commas. */
const MARKS: readonly (readonly [RegExp, (text: string) => Partial<Marks>])[] = [
  [/^excerpt$/, () => ({ isExcerpt: true })],
  [/^from the background$/, () => ({ isFromBackground: true })],
  [/^later$/, () => ({ isLater: true })],
  [/^file=([\w./-]+)$/, (file) => ({ file })],
  [/^part of ([\w./@-]+)$/, (partOf) => ({ partOf })],
  [/^background until "([^"]+)"$/, (background) => ({ background })],
  [/^exits with (\d+)$/, (code) => ({ exit: Number(code) })],
  [/^needs ([\w-]+)$/, (needs) => ({ needs })],
];

function readMarks(comment: string): { readonly marks: Marks; readonly unknown: readonly string[] } {
  // A comma within quotes is text.
  const words = comment.match(/(?:"[^"]*"|[^,"])+/g) ?? [];
  const unknown: string[] = [];
  const marks: Marks = { isExcerpt: false, isFromBackground: false, isLater: false };
  for (const word of words.map((one) => one.trim())) {
    const [pattern, read] = MARKS.find(([known]) => known.test(word)) ?? [];
    if (pattern === undefined || read === undefined) unknown.push(word);
    else Object.assign(marks, read(pattern.exec(word)?.[1] ?? ""));
  }
  return { marks, unknown };
}

/** Those that run later change places with the one after them. */
function inOrder(blocks: readonly Block[]): Block[] {
  const ordered = [...blocks];
  for (let index = ordered.length - 2; index >= 0; index--) {
    const [block, next] = [ordered[index], ordered[index + 1]];
    if (block?.marks.isLater === true && next !== undefined) ordered.splice(index, 2, next, block);
  }
  return ordered;
}
