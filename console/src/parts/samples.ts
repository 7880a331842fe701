import { compactJson, jsonTokens } from "./json-text.ts";

/** A request as code. The key comes from the environment. */
export type Samples = Readonly<Record<"curl" | "Python" | "TypeScript", string>>;

/** A request to `runsync` in several languages. `body` is JSON, and becomes a literal of each language. */
export function samplesOf(server: string, endpoint: string, body: string): Samples {
  const url = `${server}/v2/${encodeURIComponent(endpoint)}/runsync`;
  const python = pythonBody(body);
  const script = scriptBody(body);
  return {
    curl: [
      `curl ${shellWord(url)} \\`,
      '  -H "Authorization: Bearer $FOREBAY_KEY" \\',
      "  -H 'Content-Type: application/json' \\",
      `  --data-raw ${shellWord(plainJson(body))}`,
    ].join("\n"),
    Python: [
      "import json, os, urllib.request",
      "",
      `body = ${python.literal}`,
      "request = urllib.request.Request(",
      `    ${codeText(url)},`,
      `    data=${python.isText ? "body" : "json.dumps(body)"}.encode(),`,
      "    headers={",
      '        "Authorization": f"Bearer {os.environ[\'FOREBAY_KEY\']}",',
      '        "Content-Type": "application/json",',
      "    },",
      ")",
      "print(json.load(urllib.request.urlopen(request)))",
    ].join("\n"),
    TypeScript: [
      `const body = ${script.literal};`,
      `const url = ${codeText(url)};`,
      "const answer = await fetch(url, {",
      '  method: "POST",',
      "  headers: {",
      "    Authorization: `Bearer ${process.env.FOREBAY_KEY}`,",
      '    "Content-Type": "application/json",',
      "  },",
      script.isText ? "  body," : "  body: JSON.stringify(body),",
      "});",
      "console.log(await answer.json());",
    ].join("\n"),
  };
}

/** The command that submits this input, a JSON object; undefined if it would round a number. */
export function commandOf(endpoint: string, input: string): string | undefined {
  if (!jsonTokens(input).every((token) => !isNumber(token) || isExactDouble(token))) return undefined;
  return `forebay runsync ${shellWord(endpoint)} ${shellWord(plainJson(input))}`;
}

/** Control and format characters, spaces that look like others, and halves of characters. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u00A0\u202F\u{E0000}-\u{E0FFF}]/gu;

function escaped(found: string): string {
  return found
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

/** On one line, with such characters as escapes. They stand only in strings of JSON. */
function plainJson(json: string): string {
  return compactJson(json).replace(UNSEEN, escaped);
}

/** A word of a POSIX shell. Nothing in single quotes has a meaning, except their end. */
export function shellWord(text: string): string {
  if (/^[\w.:/%-]+$/.test(text) && !text.startsWith("-")) return text;
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A string of Python and of TypeScript: what JSON escapes means the same there. */
function codeText(text: string): string {
  return JSON.stringify(text).replace(UNSEEN, escaped);
}

/** A body as a literal. If none says the same, it is the JSON as a text, which the program sends as it is. */
interface Body {
  readonly literal: string;
  readonly isText: boolean;
}

const PYTHON_WORDS = new Map([
  ["true", "True"],
  ["false", "False"],
  ["null", "None"],
]);

/** Python reads integers of this many digits. */
const MOST_DIGITS = 4_000;

function pythonBody(json: string): Body {
  // Integers have any size there; other numbers are doubles.
  const isExact = (token: string): boolean =>
    (/^-?[1-9]\d*$/.test(token) && token.length <= MOST_DIGITS) || isExactDouble(token);
  return bodyOf(json, isExact, (token) =>
    token.startsWith('"') ? codeText(JSON.parse(token)) : (PYTHON_WORDS.get(token) ?? token),
  );
}

function scriptBody(json: string): Body {
  return bodyOf(json, isExactDouble, (token, isName) => {
    if (!token.startsWith('"')) return token;
    const text: string = JSON.parse(token);
    // As a plain name, it would set the prototype.
    return isName && text === "__proto__" ? '["__proto__"]' : codeText(text);
  });
}

/** Compilers refuse literals that are much deeper, levels. */
const MOST_DEPTH = 50;

function bodyOf(
  json: string,
  isExact: (number: string) => boolean,
  write: (token: string, isName: boolean) => string,
): Body {
  const tokens = jsonTokens(json);
  const isText = depthOf(tokens) > MOST_DEPTH || !tokens.every((token) => !isNumber(token) || isExact(token));
  return { literal: isText ? codeText(plainJson(json)) : literal(tokens, write), isText };
}

function literal(tokens: readonly string[], write: (token: string, isName: boolean) => string): string {
  return tokens
    .map((token, index) =>
      token === "," || token === ":" ? `${token} ` : write(token, tokens[index + 1] === ":"),
    )
    .join("");
}

function isNumber(token: string): boolean {
  return /^[-\d]/.test(token);
}

/** Whether the program sends the same number again. */
function isExactDouble(token: string): boolean {
  const value = Number(token);
  if (!Number.isFinite(value)) return false;
  // One that is too small becomes 0, and -0 loses its sign.
  if (value === 0) return /^[0.]+$/.test(token);
  return Number.isInteger(value) ? Number.isSafeInteger(value) : token.replace(/[^\d]/g, "").length <= 15;
}

function depthOf(tokens: readonly string[]): number {
  let depth = 0;
  let deepest = 0;
  for (const token of tokens) {
    if (token === "{" || token === "[") deepest = Math.max(deepest, ++depth);
    else if (token === "}" || token === "]") depth--;
  }
  return deepest;
}
