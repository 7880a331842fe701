import { PassThrough, type Readable } from "node:stream";
import { readLines } from "../read-lines.ts";
import type { OutputStream } from "../worker-output.ts";

/** Each frame begins with these bytes: the stream, three empty bytes, and the length of the frame. */
const HEADER = 8;

/** The second stream of the Engine API; the first is standard output. */
const STDERR = 2;

/** Ends the time of a frame; a time is not longer than the limit. */
const SPACE = 0x20;
const TIME_LIMIT = 64;

type OnTimedPiece = (stream: OutputStream, piece: Buffer, at: string | undefined) => void;

/**
 * Passes on what a container prints, line by line, from the frames in which the engine sends both streams
 * (Engine API, ContainerAttach). Resolves when there is no more.
 */
export function readOutput(
  answer: Readable,
  onLine: (stream: OutputStream, line: string) => void,
): Promise<void> {
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  readLines(streams.stdout, (line) => onLine("stdout", line));
  readLines(streams.stderr, (line) => onLine("stderr", line));
  answer.on(
    "data",
    readFrames((stream, part) => void streams[stream].write(part)),
  );
  return new Promise((resolve) => {
    // A broken answer ends like any other: there is no more to read.
    answer.on("error", () => undefined);
    answer.on("close", () => {
      let open = 2;
      for (const stream of Object.values(streams)) {
        stream.on("close", () => {
          open -= 1;
          if (open === 0) resolve();
        });
        stream.end();
      }
    });
  });
}

/** Reads both streams of a container from frames that begin with the time at which each was printed. */
export function timedOutput(onPiece: OnTimedPiece): (data: Buffer) => void {
  let time = Buffer.alloc(0);
  let at: string | undefined;
  let isTimed = false;

  /** Takes the time off the beginning of a frame, which can arrive in parts. Answers what follows it. */
  function timed(part: Buffer, left: number): Buffer {
    const space = part.indexOf(SPACE);
    if (space === -1 && time.length + part.length < TIME_LIMIT && left > 0) {
      time = Buffer.concat([time, part]);
      return part.subarray(part.length);
    }
    isTimed = true;
    const text = Buffer.concat([time, part.subarray(0, space === -1 ? part.length : space)]);
    at = engineTime(text.toString("latin1"));
    // A frame without a time is output as a whole.
    return at === undefined ? Buffer.concat([time, part]) : part.subarray(space + 1);
  }

  return readFrames((stream, part, { isFirst, left }) => {
    if (isFirst) {
      time = Buffer.alloc(0);
      isTimed = false;
    }
    const text = isTimed ? part : timed(part, left);
    if (text.length > 0) onPiece(stream, text, at);
  });
}

interface FramePart {
  /** It is the first part of its frame. */
  readonly isFirst: boolean;
  /** Bytes of the frame that are still to come. */
  readonly left: number;
}

/** Takes frames apart. The data can be cut anywhere. */
function readFrames(
  onPart: (stream: OutputStream, part: Buffer, frame: FramePart) => void,
): (data: Buffer) => void {
  let header = Buffer.alloc(0);
  let left = 0;
  let isFirst = false;
  let stream: OutputStream = "stdout";
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
        isFirst = true;
        continue;
      }
      const part = rest.subarray(0, left);
      rest = rest.subarray(part.length);
      left -= part.length;
      onPart(stream, part, { isFirst, left });
      isFirst = false;
    }
  };
}

const TIME =
  /^([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]{1,9}))?(Z|[+-][0-9]{2}:[0-9]{2})$/;

/**
 * A time of an engine, in UTC with nine digits, so that times compare as texts; undefined if it is no time.
 * Docker writes nine digits. podman writes as many as needed, with the offset of its host.
 */
function engineTime(text: string): string | undefined {
  const [, seconds = "", digits = "", zone = ""] = TIME.exec(text) ?? [];
  if (seconds === "") return undefined;
  const start = new Date(Date.parse(`${seconds}${zone}`))
    .toISOString()
    .slice(0, "2026-01-31T12:00:00".length);
  return `${start}.${digits.padEnd(9, "0")}Z`;
}

/**
 * The second of a time, since 1970. Every engine accepts it: podman reads fractions differently from Docker.
 */
export function engineSecond(time: string): string {
  return String(Math.floor(Date.parse(time) / 1_000));
}
