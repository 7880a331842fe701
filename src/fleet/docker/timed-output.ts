import type { OutputStream } from "../worker-output.ts";
import { engineTime } from "./engine-time.ts";

/** What stands before each piece of output: the stream, three empty bytes, and the length of the piece. */
const HEADER = 8;

/** The second stream of the Engine API; the first is standard output. */
const STDERR = 2;

/** Between the time of a piece and what was printed; times are not longer than this. */
const SPACE = 0x20;
const TIME_LIMIT = 64;

export type OnTimedPiece = (stream: OutputStream, piece: Buffer, at: string | undefined) => void;

/**
 * Reads both streams of a container in the form in which the engine sends them together with times (Engine
 * API, ContainerAttach): each piece begins with the time at which it was printed.
 */
export function timedOutput(onPiece: OnTimedPiece): (data: Buffer) => void {
  let header = Buffer.alloc(0);
  let left = 0;
  let stream: OutputStream = "stdout";
  let time = Buffer.alloc(0);
  let at: string | undefined;
  let isTimed = false;

  /** Takes the time from the begin of a piece, which can come in parts; answers what is behind it. */
  function timed(part: Buffer): Buffer {
    const space = part.indexOf(SPACE);
    if (space === -1 && time.length + part.length < TIME_LIMIT && left > 0) {
      time = Buffer.concat([time, part]);
      return part.subarray(part.length);
    }
    isTimed = true;
    const text = Buffer.concat([time, part.subarray(0, space === -1 ? part.length : space)]);
    at = engineTime(text.toString("latin1"));
    // What has no time is output as it stands.
    return at === undefined ? Buffer.concat([time, part]) : part.subarray(space + 1);
  }

  return (data) => {
    let rest = data;
    while (rest.length > 0) {
      if (left === 0) {
        const missing = HEADER - header.length;
        header = Buffer.concat([header, rest.subarray(0, missing)]);
        rest = rest.subarray(missing);
        if (header.length < HEADER) return;
        stream = header[0] === STDERR ? "stderr" : "stdout";
        left = header.readUInt32BE(4);
        header = Buffer.alloc(0);
        time = Buffer.alloc(0);
        isTimed = false;
        continue;
      }
      const part = rest.subarray(0, left);
      rest = rest.subarray(part.length);
      left -= part.length;
      const text = isTimed ? part : timed(part);
      if (text.length > 0) onPiece(stream, text, at);
    }
  };
}
