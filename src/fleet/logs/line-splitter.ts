import type { Readable } from "node:stream";
import type { Clock } from "../../domain/clock.ts";
import { LAST_LINES } from "../provider.ts";
import { maskTokens } from "./log-line.ts";
import type { LineAllowance, ReadBudget } from "./output-limits.ts";

/** A longer line is split into pieces of this many bytes. */
const LINE_LIMIT = 8_192;

/** The last bytes of dropped output are kept: they can say why a worker ended. */
const TAIL = 8_192;

const NEWLINE = 10;
const NOTHING = Buffer.alloc(0);

export interface LineSplitter {
  push(piece: Buffer, at?: string): void;
  /** The stream has ended. A rest without an end of line is a line. */
  end(): void;
}

interface SplitLines {
  readonly allowance: LineAllowance;
  /** A line, with Forebay's own secrets masked. `at` arrived with the end of the line. */
  readonly onLine: (line: string, at: string | undefined) => void;
  readonly onDropped: (lines: number) => void;
}

/**
 * Splits a stream into lines and leaves out empty ones. What goes beyond the allowance is counted and
 * dropped in whole lines. Dropping looks at each byte once. The last lines before the end are kept.
 */
export function lineSplitter(parts: SplitLines): LineSplitter {
  return new Splitter(parts);
}

class Splitter implements LineSplitter {
  readonly #parts: SplitLines;
  #rest: Buffer = NOTHING;
  #isDropping = false;
  #dropped = 0;
  #tail: Buffer = NOTHING;

  constructor(parts: SplitLines) {
    this.#parts = parts;
  }

  push(piece: Buffer, at?: string): void {
    let start = 0;
    while (start < piece.length) {
      if (!this.#parts.allowance.isOpen()) return this.#drop(piece.subarray(start));
      if (this.#isDropping) {
        const next = this.#nextLine(piece);
        if (next === undefined) return this.#drop(piece);
        start = next;
        continue;
      }
      const end = piece.indexOf(NEWLINE, start);
      const own = piece.subarray(start, end === -1 ? piece.length : end);
      const line = this.#passLong(this.#rest.length === 0 ? own : Buffer.concat([this.#rest, own]), at);
      // A copy: a part of the piece would keep the whole piece in memory.
      this.#rest = end === -1 ? Buffer.from(line) : NOTHING;
      if (end === -1) return;
      this.#pass(line, at);
      start = end + 1;
    }
  }

  end(): void {
    if (!this.#isDropping) return this.#pass(this.#rest, undefined);
    const lines = this.#tail.toString("utf8").split("\n");
    const isWhole = lines.at(-1) === "";
    if (isWhole) lines.pop();
    const last = lines.slice(-LAST_LINES);
    const missing = this.#dropped + (isWhole ? 0 : 1) - last.length;
    if (missing > 0) this.#parts.onDropped(missing);
    for (const line of last) this.#pass(Buffer.from(line), undefined);
  }

  /** Where the next line begins in the piece; undefined if the piece has no end of line. */
  #nextLine(piece: Buffer): number | undefined {
    const end = piece.indexOf(NEWLINE);
    if (end === -1) return undefined;
    this.#parts.onDropped(this.#dropped + 1);
    this.#isDropping = false;
    this.#dropped = 0;
    this.#tail = NOTHING;
    return end + 1;
  }

  #drop(bytes: Buffer): void {
    this.#isDropping = true;
    this.#rest = NOTHING;
    this.#dropped += newlinesIn(bytes);
    const last = bytes.length >= TAIL ? bytes : Buffer.concat([this.#tail, bytes]);
    this.#tail = Buffer.from(last.subarray(-TAIL));
  }

  /** Passes on what is longer than a line may be, and answers the rest. */
  #passLong(bytes: Buffer, at: string | undefined): Buffer {
    let left = bytes;
    while (left.length > LINE_LIMIT) {
      let cut = LINE_LIMIT;
      // Not within a character.
      while (cut > LINE_LIMIT - 4 && ((left[cut] ?? 0) & 0xc0) === 0x80) cut--;
      this.#pass(left.subarray(0, cut), at);
      left = left.subarray(cut);
    }
    return left;
  }

  #pass(bytes: Buffer, at: string | undefined): void {
    const isReturned = bytes.at(-1) === 13;
    const text = maskTokens(bytes.toString("utf8", 0, bytes.length - (isReturned ? 1 : 0)));
    if (text === "") return;
    this.#parts.allowance.take(bytes.length);
    this.#parts.onLine(text, at);
  }
}

function newlinesIn(bytes: Buffer): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === NEWLINE) count++;
  return count;
}

/** Reads the output of a process as fast as the budget allows. A process that prints more waits. */
export function readOutput(stream: Readable, lines: LineSplitter, budget: ReadBudget, clock: Clock): void {
  let hasEnded = false;
  const end = (): void => {
    if (!hasEnded) lines.end();
    hasEnded = true;
  };
  stream.on("data", (piece: Buffer) => {
    lines.push(piece);
    pauseFor(stream, budget.take(piece.length), clock);
  });
  stream.on("end", end);
  // A broken stream ends like any other.
  stream.on("error", end);
}

/** Pauses the stream for `ms`. */
export function pauseFor(stream: Readable, ms: number, clock: Clock): void {
  if (ms <= 0) return;
  stream.pause();
  clock.after(ms, () => stream.resume());
}
