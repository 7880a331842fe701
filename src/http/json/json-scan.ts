import { isUtf8 } from "node:buffer";
import { ForebayError } from "../../domain/errors.ts";

/**
 * Checks JSON (RFC 8259) without making values of it, and tells where the members lie. Payloads are carried
 * as the bytes that came, so that numbers, key order and text survive; a parser that builds them would cost
 * thirteen times their size in memory and can be made to run for seconds by nesting.
 */
export interface JsonNode {
  readonly type: "object" | "array" | "string" | "number" | "literal";
  /** Name of the member; undefined for the root and for elements of an array. */
  readonly key: string | undefined;
  /** First byte of the member: the quote of its key; of the value where there is no key. */
  readonly keyStart: number;
  /** First byte of the value. */
  readonly start: number;
  /** Behind the last byte of the value. */
  end: number;
  /** Members or elements, for containers above the depth that was asked for. */
  readonly children: JsonNode[];
}

/** Deeper nesting is refused: it breaks the parsers of those who read it. */
const MAX_DEPTH = 512;

/** More members than this at the told levels are refused: telling of one takes many times its bytes. */
const MAX_TOLD = 100_000;

/** Scanned in one go; after that others get their turn. */
const SLICE = 262_144;

/**
 * The document in `bytes`. `depth` says for how many levels of containers the children are told: 0 none, 1
 * those of the root. Throws MALFORMED_JSON.
 */
export async function scanJson(bytes: Uint8Array, depth: number): Promise<JsonNode> {
  const scan = new JsonScan(bytes, depth);
  while (!scan.advance(SLICE)) await new Promise(setImmediate);
  return scan.root;
}

/** What may come next. */
const VALUE = 0;
const FIRST_ELEMENT = 1;
const FIRST_KEY = 2;
const KEY = 3;
const COLON = 4;
const AFTER_VALUE = 5;
const END = 6;

class JsonScan {
  readonly #bytes: Uint8Array;
  readonly #depth: number;
  /** The open containers that are told of, outermost first. */
  readonly #open: JsonNode[] = [];
  /** 1 for each open object, 0 for each open array. */
  readonly #isObject = new Uint8Array(MAX_DEPTH + 1);
  #level = 0;
  #told = 0;
  #at = 0;
  #next = VALUE;
  #key: string | undefined = undefined;
  #keyStart = 0;
  #root: JsonNode | undefined = undefined;

  constructor(bytes: Uint8Array, depth: number) {
    if (!isUtf8(bytes)) throw malformed("it is not UTF-8");
    this.#bytes = bytes;
    this.#depth = depth;
  }

  get root(): JsonNode {
    if (this.#root === undefined) throw malformed("it is empty");
    return this.#root;
  }

  /** Scans about `count` bytes more; true when the whole document has been scanned. */
  advance(count: number): boolean {
    const limit = Math.min(this.#bytes.length, this.#at + count);
    while (this.#at < limit) this.#token();
    if (this.#at < this.#bytes.length) return false;
    if (this.#next !== END) throw malformed("it ends too early");
    return true;
  }

  #token(): void {
    const byte = this.#bytes[this.#at] ?? 0;
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) {
      this.#at++;
      return;
    }
    switch (this.#next) {
      case VALUE:
        return this.#value(byte);
      case FIRST_ELEMENT:
        return byte === 0x5d ? this.#close(false) : this.#value(byte);
      case FIRST_KEY:
        return byte === 0x7d ? this.#close(true) : this.#memberKey(byte);
      case KEY:
        return this.#memberKey(byte);
      case COLON:
        if (byte !== 0x3a) throw this.#unexpected();
        this.#at++;
        this.#next = VALUE;
        return;
      case AFTER_VALUE:
        return this.#afterValue(byte);
      default:
        throw this.#unexpected();
    }
  }

  #value(byte: number): void {
    const start = this.#at;
    if (byte === 0x22) {
      this.#string();
      this.#ended("string", start);
    } else if (byte === 0x7b) this.#openContainer("object");
    else if (byte === 0x5b) this.#openContainer("array");
    else if (byte === 0x2d || isDigit(byte)) {
      this.#number();
      this.#ended("number", start);
    } else {
      this.#literal(byte);
      this.#ended("literal", start);
    }
  }

  #openContainer(type: "object" | "array"): void {
    if (this.#level === MAX_DEPTH) throw malformed(`it is nested deeper than ${MAX_DEPTH}`);
    const node = this.#tell(type, this.#at, this.#at);
    this.#level++;
    if (node !== undefined) this.#open.push(node);
    this.#isObject[this.#level] = type === "object" ? 1 : 0;
    this.#at++;
    this.#next = type === "object" ? FIRST_KEY : FIRST_ELEMENT;
  }

  #close(isObject: boolean): void {
    if ((this.#isObject[this.#level] === 1) !== isObject) throw this.#unexpected();
    this.#at++;
    if (this.#open.length === this.#level) {
      const node = this.#open.pop();
      if (node !== undefined) node.end = this.#at;
    }
    this.#level--;
    this.#next = this.#level === 0 ? END : AFTER_VALUE;
  }

  #memberKey(byte: number): void {
    if (byte !== 0x22) throw this.#unexpected();
    const start = this.#at;
    this.#string();
    if (this.#level <= this.#depth) {
      this.#key = textOf(this.#bytes, start, this.#at);
      this.#keyStart = start;
    }
    this.#next = COLON;
  }

  #afterValue(byte: number): void {
    const isObject = this.#isObject[this.#level] === 1;
    if (byte === 0x2c) {
      this.#at++;
      this.#next = isObject ? KEY : VALUE;
    } else if (byte === 0x7d || byte === 0x5d) this.#close(byte === 0x7d);
    else throw this.#unexpected();
  }

  #ended(type: JsonNode["type"], start: number): void {
    this.#tell(type, start, this.#at);
    this.#next = this.#level === 0 ? END : AFTER_VALUE;
  }

  /** Adds a value to the container it lies in, if that one is told of. */
  #tell(type: JsonNode["type"], start: number, end: number): JsonNode | undefined {
    if (this.#level > this.#depth) return undefined;
    if (++this.#told > MAX_TOLD) throw malformed(`it has more than ${MAX_TOLD} members`);
    const keyStart = this.#key === undefined ? start : this.#keyStart;
    const node: JsonNode = { type, key: this.#key, keyStart, start, end, children: [] };
    this.#key = undefined;
    if (this.#level === 0) this.#root = node;
    else this.#open[this.#level - 1]?.children.push(node);
    return node;
  }

  #string(): void {
    const bytes = this.#bytes;
    let at = this.#at + 1;
    for (;;) {
      const byte = bytes[at];
      if (byte === undefined) throw malformed("a string has no end");
      if (byte === 0x22) break;
      if (byte === 0x5c) at = this.#escape(at);
      else if (byte < 0x20) throw malformed(`there is a control character in a string at byte ${at}`);
      else at++;
    }
    this.#at = at + 1;
  }

  #escape(at: number): number {
    const byte = this.#bytes[at + 1] ?? 0;
    if (byte === 0x75) {
      for (let i = at + 2; i < at + 6; i++) {
        if (!isHex(this.#bytes[i] ?? 0)) throw malformed(`there is an incomplete \\u escape at byte ${at}`);
      }
      return at + 6;
    }
    if (!ESCAPED.includes(byte)) throw malformed(`there is an unknown escape at byte ${at}`);
    return at + 2;
  }

  #number(): void {
    const bytes = this.#bytes;
    let at = this.#at;
    if (bytes[at] === 0x2d) at++;
    at = bytes[at] === 0x30 ? at + 1 : this.#digits(at);
    if (bytes[at] === 0x2e) at = this.#digits(at + 1);
    if (bytes[at] === 0x65 || bytes[at] === 0x45) {
      at++;
      if (bytes[at] === 0x2b || bytes[at] === 0x2d) at++;
      at = this.#digits(at);
    }
    this.#at = at;
  }

  /** Behind the digits at `from`, of which there must be one. */
  #digits(from: number): number {
    let at = from;
    while (isDigit(this.#bytes[at] ?? 0)) at++;
    if (at === from) throw malformed(`there is an incomplete number at byte ${this.#at}`);
    return at;
  }

  #literal(byte: number): void {
    const literal = byte === 0x74 ? TRUE : byte === 0x66 ? FALSE : NULL;
    for (let i = 0; i < literal.length; i++) {
      if (this.#bytes[this.#at + i] !== literal[i]) throw this.#unexpected();
    }
    this.#at += literal.length;
  }

  #unexpected(): ForebayError {
    return malformed(`there is an unexpected character at byte ${this.#at}`);
  }
}

const encoder = new TextEncoder();
const TRUE = encoder.encode("true");
const FALSE = encoder.encode("false");
const NULL = encoder.encode("null");
const ESCAPED = encoder.encode('"\\/bfnrt');

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function isHex(byte: number): boolean {
  return isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}

/** The text of the JSON string from `start` to `end`, quotes included. */
function textOf(bytes: Uint8Array, start: number, end: number): string {
  let text = "";
  for (let at = start + 1; at < end - 1; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === 0x5c || byte > 0x7e) return JSON.parse(new TextDecoder().decode(bytes.subarray(start, end)));
    text += String.fromCharCode(byte);
  }
  return text;
}

function malformed(what: string): ForebayError {
  return new ForebayError("MALFORMED_JSON", `The body is not JSON: ${what}.`);
}
