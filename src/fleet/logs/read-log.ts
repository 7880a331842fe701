import { type FileHandle, open } from "node:fs/promises";
import { errorCode } from "../../domain/errors.ts";
import type { LogPiece, LogRead } from "../../domain/log.ts";
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
): AsyncGenerator<LogPiece> {
  const { from = 0, tail, since, until, follow = false, signal } = options;
  const bounds = [since, until].map((time) => (time === undefined ? undefined : timeText(time)));
  let more = Promise.withResolvers<void>();
  const wake = (): void => more.resolve();
  const unlisten = log.listen(wake);
  signal?.addEventListener("abort", wake);
  try {
    let position = tail === undefined ? Math.min(from, log.end) : await startOfTail(log, tail);
    for (;;) {
      more = Promise.withResolvers<void>();
      const [wasOpen, end] = [log.isOpen, log.end];
      for await (const piece of piecesFrom(log, position, end)) {
        if (bounds.every((bound) => bound === undefined)) yield piece;
        else yield* chosen(piece, bounds);
        if (signal?.aborted) return;
      }
      position = Math.max(position, end);
      if (!wasOpen) yield { lines: NOTHING, position, isEnd: true };
      if (!follow || !wasOpen || isOver() || signal?.aborted) return;
      if (log.end === position) await more.promise;
    }
  } finally {
    unlisten();
    signal?.removeEventListener("abort", wake);
  }
}

/** The chosen lines: a piece for those that follow each other. */
function* chosen(
  { lines, position }: FilePiece,
  [since, until]: readonly (string | undefined)[],
): Generator<FilePiece> {
  /** Where the chosen lines begin that have not been yielded. */
  let first = 0;
  for (let start = 0; start < lines.length;) {
    const end = lines.indexOf(NEWLINE, start) + 1;
    if (!isBetween(lines.subarray(start, end), since, until)) {
      if (first < start) yield { lines: lines.subarray(first, start), position: position + first };
      first = end;
    }
    start = end;
  }
  if (first < lines.length) yield { lines: lines.subarray(first), position: position + first };
}

interface FilePiece extends LogPiece {
  readonly lines: Buffer;
}

/** The log from one position to another. Deleted parts are skipped. */
async function* piecesFrom(log: WorkerLog, position: number, end: number): AsyncGenerator<FilePiece> {
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
        yield { lines: piece.subarray(0, whole), position: at };
        at += whole;
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
