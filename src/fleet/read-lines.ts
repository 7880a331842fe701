import type { Readable } from "node:stream";

/** A longer line comes in pieces, so that a worker that ends no line costs no more memory than this. */
const LINE_LIMIT = 8_192;

/** Passes on the text of a stream line by line as it comes; empty lines are left out. */
export function readLines(stream: Readable, onLine: (line: string) => void): void {
  const decoder = new TextDecoder();
  let rest = "";

  const pass = (line: string): void => {
    const text = line.endsWith("\r") ? line.slice(0, -1) : line;
    for (let start = 0; start < text.length; start += LINE_LIMIT) {
      onLine(text.slice(start, start + LINE_LIMIT));
    }
  };
  const passWhole = (lines: readonly string[]): void => {
    for (const line of lines) pass(line);
  };

  stream.on("data", (piece: Buffer) => {
    const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    passWhole(lines);
    if (rest.length < LINE_LIMIT) return;
    pass(rest);
    rest = "";
  });
  stream.on("end", () => passWhole([rest + decoder.decode()]));
  // The end of a stream says all there is to say; one that breaks has ended.
  stream.on("error", () => passWhole([rest]));
}
