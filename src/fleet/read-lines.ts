import type { Readable } from "node:stream";

/** A longer line is split, so that a worker that ends no line uses no more memory than this. */
const LINE_LIMIT = 8_192;

/** Passes on a stream line by line as it arrives, without empty lines. */
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
  // A broken stream ends like any other.
  stream.on("error", () => passWhole([rest]));
}
