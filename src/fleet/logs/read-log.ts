import { type FileHandle, open } from "node:fs/promises";
import { errorCode } from "../../domain/errors.ts";
import type { LogRead } from "../../domain/log.ts";
import { isBetween, timeText } from "./log-line.ts";
import type { Segment, WorkerLog } from "./worker-log.ts";

/** The size of one read, bytes. */
const PIECE = 262_144;

const NEWLINE = 10;
const NOTHING = Buffer.alloc(0);

/** Reads a log from its files, in pieces of whole lines. `isOver` ends the wait for more. */
export async function* readLog(
  log: WorkerLog,
  options: LogRead,
  isOver: () => boolean,
): AsyncGenerator<Uint8Array> {
  const { tail, since, until, follow = false, signal } = options;
  const bounds = [since, until].map((time) => (time === undefined ? undefined : timeText(time)));
  let more = Promise.withResolvers<void>();
  const wake = (): void => more.resolve();
  const unlisten = log.listen(wake);
  signal?.addEventListener("abort", wake);
  try {
    let position = tail === undefined ? 0 : await startOfTail(log, tail);
    for (;;) {
      more = Promise.withResolvers<void>();
      const [wasOpen, end] = [log.isOpen, log.end];
      for await (const piece of piecesFrom(log, position, end)) {
        const lines = bounds.every((bound) => bound === undefined) ? piece : chosen(piece, bounds);
        if (lines.length > 0) yield lines;
        if (signal?.aborted) return;
      }
      position = Math.max(position, end);
      if (!follow || !wasOpen || isOver() || signal?.aborted) return;
      if (log.end === position) await more.promise;
    }
  } finally {
    unlisten();
    signal?.removeEventListener("abort", wake);
  }
}

function chosen(piece: Buffer, [since, until]: readonly (string | undefined)[]): Buffer {
  const lines: Buffer[] = [];
  for (let start = 0; start < piece.length;) {
    const end = piece.indexOf(NEWLINE, start) + 1;
    const line = piece.subarray(start, end);
    if (isBetween(line, since, until)) lines.push(line);
    start = end;
  }
  return Buffer.concat(lines);
}

/** The log from one position to another. Deleted parts are skipped. */
async function* piecesFrom(log: WorkerLog, position: number, end: number): AsyncGenerator<Buffer> {
  let at = position;
  while (at < end) {
    const segment = log.segments.find(({ start, size }) => at < start + size);
    if (segment === undefined) return;
    at = Math.max(at, segment.start);
    const until = Math.min(end, segment.start + segment.size);
    const handle = await opened(log, segment);
    try {
      while (at < until) {
        const piece =
          handle === undefined
            ? NOTHING
            : await bytesOf(handle, at - segment.start, Math.min(PIECE, until - at));
        const whole = piece.lastIndexOf(NEWLINE) + 1;
        // A line that was cut by a kill has no end.
        if (whole === 0) break;
        at += whole;
        yield piece.subarray(0, whole);
      }
    } finally {
      await handle?.close();
    }
    at = Math.max(at, until);
  }
}

/** The position at which the last `tail` lines begin. */
async function startOfTail(log: WorkerLog, tail: number): Promise<number> {
  if (tail === 0) return log.end;
  let missing = tail;
  for (const segment of log.segments.toReversed()) {
    const handle = await opened(log, segment);
    if (handle === undefined) continue;
    try {
      for (let end = segment.size; end > 0;) {
        const start = Math.max(0, end - PIECE);
        const piece = await bytesOf(handle, start, end - start);
        // The end of one line is the beginning of the next.
        for (
          let at = piece.lastIndexOf(NEWLINE);
          at !== -1;
          at = at === 0 ? -1 : piece.lastIndexOf(NEWLINE, at - 1)
        ) {
          if (missing === 0) return segment.start + start + at + 1;
          missing--;
        }
        end = start;
      }
    } finally {
      await handle.close();
    }
  }
  return 0;
}

/** Undefined if the file was deleted. */
async function opened(log: WorkerLog, segment: Segment): Promise<FileHandle | undefined> {
  try {
    return await open(log.pathOf(segment));
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    return undefined;
  }
}

async function bytesOf(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}
