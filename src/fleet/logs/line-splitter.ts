import { LAST_LINES } from "../provider.ts";
import type { LineAllowance } from "./line-allowance.ts";
import { maskTokens } from "./mask-tokens.ts";

/** A longer line comes in pieces of so many bytes. */
const LINE_LIMIT = 8_192;

/** So many of the last bytes of what is not kept are: they can say why a worker ended. */
const TAIL = 8_192;

const NEWLINE = 10;
const NOTHING = Buffer.alloc(0);

export interface LineSplitter {
  push(piece: Buffer, at?: string): void;
  /** Nothing more comes: what stands there without an end of line is one. */
  end(): void;
}

export interface SplitLines {
  readonly allowance: LineAllowance;
  /** A line with all that is Forebay's own masked; `at` as it came with the end of the line. */
  readonly onLine: (line: string, at: string | undefined) => void;
  readonly onDropped: (lines: number) => void;
}

/**
 * The lines of a stream; empty ones are left out. What goes beyond the allowance is counted and dropped in
 * whole lines, at the cost of looking at each byte once, but for the last lines before the end.
 */
export function lineSplitter({ allowance, onLine, onDropped }: SplitLines): LineSplitter {
  let rest: Buffer = NOTHING;
  let isDropping = false;
  let dropped = 0;
  let tail: Buffer = NOTHING;

  function pass(bytes: Buffer, at: string | undefined): void {
    const isReturned = bytes.at(-1) === 13;
    const text = maskTokens(bytes.toString("utf8", 0, bytes.length - (isReturned ? 1 : 0)));
    if (text === "") return;
    allowance.take(bytes.length);
    onLine(text, at);
  }

  /** Passes on what is longer than a line may be; answers what is left. */
  function passLong(bytes: Buffer, at: string | undefined): Buffer {
    let left = bytes;
    while (left.length > LINE_LIMIT) {
      let cut = LINE_LIMIT;
      // Not within a character.
      while (cut > LINE_LIMIT - 4 && ((left[cut] ?? 0) & 0xc0) === 0x80) cut--;
      pass(left.subarray(0, cut), at);
      left = left.subarray(cut);
    }
    return left;
  }

  function drop(bytes: Buffer): void {
    isDropping = true;
    rest = NOTHING;
    dropped += newlinesIn(bytes);
    tail = Buffer.from(
      bytes.length >= TAIL ? bytes.subarray(-TAIL) : Buffer.concat([tail, bytes]).subarray(-TAIL),
    );
  }

  /** Where the next line begins in the piece; undefined when it has none. */
  function nextLine(piece: Buffer): number | undefined {
    const end = piece.indexOf(NEWLINE);
    if (end === -1) return undefined;
    onDropped(dropped + 1);
    isDropping = false;
    dropped = 0;
    tail = NOTHING;
    return end + 1;
  }

  return {
    push(piece, at) {
      let start = 0;
      while (start < piece.length) {
        if (!allowance.isOpen()) return drop(piece.subarray(start));
        if (isDropping) {
          const next = nextLine(piece);
          if (next === undefined) return drop(piece);
          start = next;
          continue;
        }
        const end = piece.indexOf(NEWLINE, start);
        const own = piece.subarray(start, end === -1 ? piece.length : end);
        const line = passLong(rest.length === 0 ? own : Buffer.concat([rest, own]), at);
        // The piece is large, and would stay as long as this part of it.
        rest = end === -1 ? Buffer.from(line) : NOTHING;
        if (end === -1) return;
        pass(line, at);
        start = end + 1;
      }
    },

    end() {
      if (!isDropping) return pass(rest, undefined);
      const lines = tail.toString("utf8").split("\n");
      const isWhole = lines.at(-1) === "";
      if (isWhole) lines.pop();
      const last = lines.slice(-LAST_LINES);
      const missing = dropped + (isWhole ? 0 : 1) - last.length;
      if (missing > 0) onDropped(missing);
      for (const line of last) pass(Buffer.from(line), undefined);
    },
  };
}

function newlinesIn(bytes: Buffer): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === NEWLINE) count++;
  return count;
}
