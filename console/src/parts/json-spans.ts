/** The place of a value in a JSON text: from its first character to after its last one. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A member or element: its name, undefined in an array, and its value. */
export interface Child extends Span {
  readonly name: string | undefined;
}

/** The kind of a value, by its first character. */
export type Kind = "object" | "array" | "string" | "number" | "word";

/** How many characters are searched between two looks at the clock. */
const STRIDE = 65_536;

/** How long the page may be blocked at once, ms. */
const TURN = 8;

export function kindAt(text: string, { start }: Span): Kind {
  const first = text[start];
  if (first === "{") return "object";
  if (first === "[") return "array";
  if (first === '"') return "string";
  return first === "t" || first === "f" || first === "n" ? "word" : "number";
}

/** The whole text as one value. */
export function wholeOf(text: string): Span {
  const start = text.search(/\S/);
  return { start: Math.max(0, start), end: text.trimEnd().length };
}

/**
 * The first children of an object or array, at most `most`, and whether there are more. The text is JSON that
 * the server has checked. It is searched in small parts, so that the page stays responsive. It is never
 * parsed into values, so numbers and the order of members stay as they were sent.
 */
export async function childrenOf(
  text: string,
  parent: Span,
  most: number,
): Promise<{ children: Child[]; hasMore: boolean }> {
  const isObject = text[parent.start] === "{";
  const children: Child[] = [];
  const pace = pacer();
  let at = skipBlank(text, parent.start + 1);
  while (at < parent.end - 1) {
    if (children.length === most) return { children, hasMore: true };
    let name: string | undefined;
    if (isObject) {
      const end = endOfString(text, at);
      name = JSON.parse(text.slice(at, end));
      at = skipBlank(text, skipBlank(text, end) + 1);
    }
    const end = await endOfValue(text, at, pace);
    children.push({ name, start: at, end });
    at = skipBlank(text, end);
    if (text[at] !== ",") break;
    at = skipBlank(text, at + 1);
  }
  return { children, hasMore: false };
}

/** A member of an object, by name. */
export async function memberOf(text: string, name: string): Promise<Span | undefined> {
  const { children } = await childrenOf(text, wholeOf(text), 1_000);
  return children.find((child) => child.name === name);
}

type Pace = (at: number) => Promise<void> | undefined;

/** Lets the page react from time to time. */
function pacer(): Pace {
  let turnEnds = performance.now() + TURN;
  let next = 0;
  return (at) => {
    if (at < next) return undefined;
    next = at + STRIDE;
    if (performance.now() < turnEnds) return undefined;
    return new Promise((resolve) => {
      setTimeout(() => {
        turnEnds = performance.now() + TURN;
        resolve();
      });
    });
  };
}

const QUOTE = 34;
const BACKSLASH = 92;

async function endOfValue(text: string, start: number, pace: Pace): Promise<number> {
  const first = text[start];
  await pace(start);
  if (first === '"') return endOfString(text, start);
  if (first !== "{" && first !== "[") return endOfWord(text, start);
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at) - 1;
      const rest = pace(at);
      if (rest !== undefined) await rest;
    } else if (code === 123 || code === 91) depth++;
    else if (code === 125 || code === 93) {
      if (--depth === 0) return at + 1;
    } else if ((at & (STRIDE - 1)) === 0) {
      const rest = pace(at);
      if (rest !== undefined) await rest;
    }
  }
  return text.length;
}

function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
  return text.length;
}

function endOfWord(text: string, start: number): number {
  return placeOf(/[\s,\]}]/g, text, start);
}

function skipBlank(text: string, start: number): number {
  return placeOf(/\S/g, text, start);
}

/** The first match at or after `start`, in one search: a worker may send megabytes of spaces or digits. */
function placeOf(sought: RegExp, text: string, start: number): number {
  sought.lastIndex = start;
  return sought.exec(text)?.index ?? text.length;
}
