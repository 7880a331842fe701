import { PassThrough, type Readable } from "node:stream";
import { readLines } from "../read-lines.ts";

/** What stands before each piece of output: the stream, three empty bytes, and the length of the piece. */
const HEADER = 8;

/** The second stream of the Engine API; the first is standard output. */
const STDERR = 2;

/**
 * Passes on what a container prints, line by line, from the form in which the engine sends both streams
 * together (Engine API, ContainerAttach). Resolves when there is no more.
 */
export function readOutput(
  answer: Readable,
  onLine: (stream: "stdout" | "stderr", line: string) => void,
): Promise<void> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  readLines(stdout, (line) => onLine("stdout", line));
  readLines(stderr, (line) => onLine("stderr", line));
  let header = Buffer.alloc(0);
  let rest = 0;
  let target = stdout;

  answer.on("data", (data: Buffer) => {
    let piece = data;
    while (piece.length > 0) {
      if (rest > 0) {
        target.write(piece.subarray(0, rest));
        const read = Math.min(rest, piece.length);
        rest -= read;
        piece = piece.subarray(read);
        continue;
      }
      const missing = HEADER - header.length;
      header = Buffer.concat([header, piece.subarray(0, missing)]);
      piece = piece.subarray(missing);
      if (header.length < HEADER) return;
      target = header[0] === STDERR ? stderr : stdout;
      rest = header.readUInt32BE(4);
      header = Buffer.alloc(0);
    }
  });
  return new Promise((resolve) => {
    // An engine that goes away has said all there is to say.
    answer.on("error", () => undefined);
    answer.on("close", () => {
      let open = 2;
      for (const stream of [stdout, stderr]) {
        stream.on("close", () => {
          open -= 1;
          if (open === 0) resolve();
        });
        stream.end();
      }
    });
  });
}
