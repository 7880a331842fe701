import { isUtf8 } from "node:buffer";
import { ForebayError } from "../../domain/errors.ts";
import { type JsonNode, stringText } from "./json-node.ts";
import { codeUnit, pairLength } from "./code-unit.ts";
import { skipPlainText } from "./plain-text.ts";

/** The children of every scalar; stays empty. */
const NO_CHILDREN: JsonNode[] = [];

/** Deeper nesting is refused: it would break the parsers of clients and workers. */
const MAX_DEPTH = 512;

/** A document with more nodes is refused: a node takes many times the bytes of its value. */
const MAX_NODES = 20_000;

/** A number with more digits, or a node with a longer name (bytes), is refused: each is read in one go. */
const MAX_TOKEN = 65_536;

/** After so many plain bytes of a string, the plain text that follows is skipped, not read byte by byte. */
const LEAP = 64;

/** The tokens of JSON, as bytes (RFC 8259). */
const encoder = new TextEncoder();
const TRUE = encoder.encode("true");
const FALSE = encoder.encode("false");
const NULL = encoder.encode("null");
/** What can follow a backslash, besides `u`. */
const ESCAPED = encoder.encode('"\\/bfnrt');

/** What can come next. */
const VALUE = 0;
const FIRST_ELEMENT = 1;
const FIRST_KEY = 2;
const KEY = 3;
const COLON = 4;
const AFTER_VALUE = 5;
const END = 6;
const IN_STRING = 7;

/**
 * Checks a document of JSON and notes where its values are, without creating them. Payloads are stored as the
 * bytes that came, so numbers, text and the order of members stay as they are. A parser would take thirteen
 * times the memory, and deep nesting would keep it busy for seconds. A step can end within a string.
 */
export class JsonReader {
  readonly #bytes: Uint8Array;
  readonly #depth: number;
  readonly #isForWorkers: boolean;
  /** The nodes of the open containers, outermost first. */
  readonly #open: JsonNode[] = [];
  /** For each level: whether its open container is an object. Level 0 is the document, which is in none. */
  readonly #isObject: boolean[] = [false];
  #level = 0;
  #nodes = 0;
  #at = 0;
  /** Where the step ends. */
  #limit = 0;
  #next = VALUE;
  /** Where the open string begins, and whether it is the name of a member. */
  #stringStart = 0;
  #isKey = false;
  #key: string | undefined = undefined;
  #keyStart = 0;
  #root: JsonNode | undefined = undefined;
  /** How many bytes were skipped as plain text, in a small part of the time that others take. */
  skipped = 0;

  constructor(bytes: Uint8Array, depth: number, isForWorkers: boolean) {
    this.#bytes = bytes;
    this.#depth = depth;
    this.#isForWorkers = isForWorkers;
    // A byte order mark (RFC 8259, 8.1) is skipped.
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) this.#at = 3;
  }

  /** Throws MALFORMED_JSON if the document is empty. */
  get root(): JsonNode {
    if (this.#root === undefined) throw malformed("it is empty");
    return this.#root;
  }

  /** Scans about `count` bytes more; true when the whole document has been scanned. */
  advance(count: number): boolean {
    const length = this.#bytes.length;
    const limit = this.#characterAt(Math.min(length, this.#limit + count));
    const isWhole = this.#limit === 0 && limit === length;
    const step = isWhole ? this.#bytes : this.#bytes.subarray(this.#limit, limit);
    if (!isUtf8(step)) throw malformed("it is not UTF-8");
    this.#limit = limit;
    while (this.#at < limit) this.#token();
    if (limit < length) return false;
    if (this.#next === IN_STRING) throw malformed("a string has no end");
    if (this.#next !== END) throw malformed("it ends too early");
    return true;
  }

  /** Where the character that has byte `at` begins; `at` itself if the character is malformed. */
  #characterAt(at: number): number {
    // All bytes of a UTF-8 character but its first are 10xxxxxx (RFC 3629).
    for (let start = at; start > at - 4; start--)
      if (((this.#bytes[start] ?? 0) & 0xc0) !== 0x80) return start;
    return at;
  }

  #token(): void {
    if (this.#next === IN_STRING) return this.#string();
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
    if (byte === 0x22) this.#openString(false);
    else if (byte === 0x7b) this.#openContainer("object");
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
    const node = this.#addNode(type, this.#at, this.#at);
    this.#level++;
    if (node !== undefined) this.#open.push(node);
    this.#isObject[this.#level] = type === "object";
    this.#at++;
    this.#next = type === "object" ? FIRST_KEY : FIRST_ELEMENT;
  }

  #close(isObject: boolean): void {
    if (this.#isObject[this.#level] !== isObject) throw this.#unexpected();
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
    this.#openString(true);
  }

  #afterValue(byte: number): void {
    const isObject = this.#isObject[this.#level] === true;
    if (byte === 0x2c) {
      this.#at++;
      this.#next = isObject ? KEY : VALUE;
    } else if (byte === 0x7d || byte === 0x5d) this.#close(byte === 0x7d);
    else throw this.#unexpected();
  }

  #ended(type: JsonNode["type"], start: number): void {
    this.#addNode(type, start, this.#at);
    this.#next = this.#level === 0 ? END : AFTER_VALUE;
  }

  /** Adds the node of a value to its container; undefined if the value is too deep to have one. */
  #addNode(type: JsonNode["type"], start: number, end: number): JsonNode | undefined {
    if (this.#level > this.#depth) return undefined;
    if (++this.#nodes > MAX_NODES) throw malformed(`it has more than ${MAX_NODES} members`);
    const keyStart = this.#key === undefined ? start : this.#keyStart;
    const children = type === "object" || type === "array" ? [] : NO_CHILDREN;
    const node: JsonNode = { type, key: this.#key, keyStart, start, end, children };
    this.#key = undefined;
    if (this.#level === 0) this.#root = node;
    else this.#open[this.#level - 1]?.children.push(node);
    return node;
  }

  #openString(isKey: boolean): void {
    this.#stringStart = this.#at++;
    this.#isKey = isKey;
    this.#string();
  }

  /** Reads to the end of the open string, or of the step. */
  #string(): void {
    const bytes = this.#bytes;
    const limit = this.#limit;
    let at = this.#at;
    let leap = at + LEAP;
    while (at < limit) {
      const byte = bytes[at] ?? 0;
      if (byte === 0x22) {
        this.#at = at + 1;
        return this.#isKey ? this.#keyEnded() : this.#ended("string", this.#stringStart);
      }
      if (byte < 0x20) throw malformed(`there is a control character in a string at byte ${at}`);
      if (at < leap && byte !== 0x5c) at++;
      else {
        const next = byte === 0x5c ? this.#escape(at) : skipPlainText(bytes, at, limit);
        if (byte !== 0x5c) this.skipped += next - at;
        leap = next + LEAP;
        at = next;
      }
    }
    this.#at = at;
    this.#next = IN_STRING;
  }

  #keyEnded(): void {
    this.#next = COLON;
    if (this.#level > this.#depth) return;
    const start = this.#stringStart;
    if (this.#at - start > MAX_TOKEN)
      throw malformed(`the name of a member is longer than ${MAX_TOKEN} bytes`);
    this.#key = stringText(this.#bytes, start, this.#at);
    this.#keyStart = start;
  }

  #escape(at: number): number {
    const byte = this.#bytes[at + 1] ?? 0;
    if (byte === 0x75) {
      const unit = codeUnit(this.#bytes, at);
      if (unit === undefined) throw malformed(`there is an incomplete \\u escape at byte ${at}`);
      const length = this.#isForWorkers && (unit & 0xf800) === 0xd800 ? pairLength(this.#bytes, at) : 6;
      return at + length;
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

  /** The place after the digits at `from`; there must be at least one. */
  #digits(from: number): number {
    let at = from;
    while (at - from <= MAX_TOKEN && isDigit(this.#bytes[at] ?? 0)) at++;
    if (at === from) throw malformed(`there is an incomplete number at byte ${this.#at}`);
    if (at - from > MAX_TOKEN) throw malformed(`a number is longer than ${MAX_TOKEN} digits`);
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

function malformed(what: string): ForebayError {
  return new ForebayError("MALFORMED_JSON", `The body is not JSON: ${what}.`);
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}
