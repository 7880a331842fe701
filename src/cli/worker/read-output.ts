import { JobFailure } from "./job-failure.ts";

/** The server accepts no larger output or chunk, bytes. */
const LIMIT = 25 * 1_048_576;

/** All bytes of a stream. Throws JobFailure if an output may not have that many. */
export async function readAll(source: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of source) {
    size += piece.byteLength;
    checkSize(size, "the output");
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/**
 * The lines of a stream as they arrive, without their ends. Throws JobFailure for a line that is too long.
 */
export async function* linesOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let begun: string[] = [];
  let size = 0;
  for await (const piece of source) {
    const [first = "", ...others] = decoder.decode(piece, { stream: true }).split("\n");
    begun.push(first);
    size += first.length;
    checkSize(size, "a line of the output");
    for (const line of others) {
      yield withoutReturn(begun.join(""));
      begun = [line];
      size = line.length;
    }
  }
  const last = begun.join("") + decoder.decode();
  if (last !== "") yield withoutReturn(last);
}

function checkSize(size: number, what: string): void {
  if (size > LIMIT) throw new JobFailure(`${what} has more than ${LIMIT} bytes, the limit of the server.`);
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
