import { appendFile, mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../domain/clock.ts";
import { errorCode } from "../../domain/errors.ts";
import type { LogLine } from "../../domain/log.ts";
import { logLine } from "./log-line.ts";
import type { LogRoom } from "./log-room.ts";

/** A file of a log. Its name is its position in the log, in bytes. */
export interface Segment {
  readonly start: number;
  size: number;
}

/** How many files a log has. The oldest is deleted when the log is full. */
const SEGMENTS = 4;

/** Output within this time is written together, ms. */
const PAUSE = 50;

/** How much may wait to be written, bytes. A slower disk loses lines. */
const WAITING_LIMIT = 4 * 1_048_576;

const SUFFIX = ".ndjson";

export interface WorkerLogParts {
  readonly directory: string;
  /** Bytes. */
  readonly limit: number;
  readonly clock: Clock;
  readonly room: LogRoom;
  /** The change of the log's size on the disk, bytes. */
  readonly onSize: (change: number) => void;
}

/** The output of one worker: its newest `limit` bytes, in files of whole lines. */
export class WorkerLog {
  readonly segments: Segment[] = [];
  /** Whether more output can arrive. */
  isOpen = false;
  /** When it last grew, ms since 1970. */
  grewAt: number;
  readonly #parts: WorkerLogParts;
  readonly #readers = new Set<() => void>();
  #waiting: string[] = [];
  #waitingBytes = 0;
  #dropped = 0;
  #writing: Promise<void> | undefined;
  #isForgotten = false;

  constructor(parts: WorkerLogParts) {
    this.#parts = parts;
    this.grewAt = parts.clock.now();
  }

  /** Continues the files that an earlier server left. */
  async load(): Promise<void> {
    for (const name of await readdir(this.#parts.directory)) {
      if (!/^[0-9]{1,15}\.ndjson$/.test(name)) continue;
      const { size, mtimeMs } = await stat(join(this.#parts.directory, name));
      this.segments.push({ start: Number(name.slice(0, -SUFFIX.length)), size });
      this.grewAt = Math.max(this.segments.length === 1 ? 0 : this.grewAt, Math.floor(mtimeMs));
      this.#parts.onSize(size);
    }
    this.segments.sort((a, b) => a.start - b.start);
    // A kill can have cut the last line, so new lines go into a new file.
    const last = this.segments.at(-1);
    if (last !== undefined) this.segments.push({ start: last.start + last.size, size: 0 });
  }

  /** The end of the log, in bytes since its beginning. */
  get end(): number {
    const last = this.segments.at(-1);
    return last === undefined ? 0 : last.start + last.size;
  }

  /** The size on the disk, bytes. */
  get size(): number {
    return this.segments.reduce((sum, { size }) => sum + size, 0);
  }

  get isWriting(): boolean {
    return this.#writing !== undefined;
  }

  pathOf({ start }: Segment): string {
    return join(this.#parts.directory, `${start}${SUFFIX}`);
  }

  add(time: string, stream: LogLine["stream"], line: string): void {
    if (this.#waitingBytes > WAITING_LIMIT) return this.drop(1);
    this.#tellDropped(time);
    this.#wait(logLine(time, stream, line));
  }

  drop(lines: number): void {
    this.#dropped += lines;
  }

  /** No more output arrives. Resolves when everything that can be written is written. */
  async close(): Promise<void> {
    this.#tellDropped(new Date(this.#parts.clock.now()).toISOString());
    while (this.#waiting.length > 0 || this.isWriting) await (this.#writing ?? this.#write());
    this.isOpen = false;
    this.#wake();
  }

  /** Deletes the log. Output that still arrives is lost. */
  async forget(): Promise<void> {
    this.#isForgotten = true;
    this.isOpen = false;
    this.#parts.onSize(-this.size);
    this.segments.length = 0;
    await this.#writing;
    await rm(this.#parts.directory, { recursive: true, force: true });
    this.#wake();
  }

  /** Calls `wake` when the log grows or ends. The returned function stops that. */
  listen(wake: () => void): () => void {
    this.#readers.add(wake);
    return () => this.#readers.delete(wake);
  }

  /** Deletes the oldest file, even if it is the one that grows. */
  async removeOldest(): Promise<void> {
    const oldest = this.segments.shift();
    if (oldest === undefined) return;
    if (this.segments.length === 0) this.segments.push({ start: oldest.start + oldest.size, size: 0 });
    await rm(this.pathOf(oldest), { force: true });
    this.#parts.onSize(-oldest.size);
  }

  #wait(text: string): void {
    this.#waiting.push(text);
    this.#waitingBytes += text.length;
    if (this.#waiting.length === 1 && !this.isWriting)
      this.#parts.clock.after(PAUSE, () => void this.#flush());
  }

  #tellDropped(time: string): void {
    if (this.#dropped === 0) return;
    this.#wait(logLine(time, "forebay", `${this.#dropped} lines are missing here: too many came at once.`));
    this.#dropped = 0;
  }

  async #flush(): Promise<void> {
    if (this.isWriting || this.#waiting.length === 0) return;
    await this.#write();
    if (this.#waiting.length > 0) this.#parts.clock.after(PAUSE, () => void this.#flush());
  }

  #write(): Promise<void> {
    this.#writing = this.#writeNow().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #writeNow(): Promise<void> {
    const lines = this.#nextLines();
    const text = Buffer.from(lines.join(""));
    const { room } = this.#parts;
    if (this.#isForgotten) return;
    try {
      await mkdir(this.#parts.directory, { recursive: true, mode: 0o700 });
      if (!(await room.isThere())) return this.drop(lines.length);
      const segment = this.#growing(text.length);
      await appendFile(this.pathOf(segment), text, { mode: 0o600 });
      segment.size += text.length;
      this.#parts.onSize(text.length);
      room.worked();
    } catch (error) {
      if (errorCode(error) === "") throw error;
      room.failed(error);
      this.drop(lines.length);
      // It may have written half a line.
      await this.#startAnew();
      return;
    }
    this.grewAt = this.#parts.clock.now();
    while (this.size > this.#parts.limit) await this.removeOldest();
    this.#wake();
  }

  /** The waiting lines that fit into one file. */
  #nextLines(): string[] {
    let size = 0;
    let count = 0;
    for (const line of this.#waiting) {
      if (count > 0 && size + line.length > this.#parts.limit / SEGMENTS) break;
      size += line.length;
      count++;
    }
    this.#waitingBytes -= size;
    return this.#waiting.splice(0, count);
  }

  #growing(bytes: number): Segment {
    const last = this.segments.at(-1);
    if (last !== undefined && last.size + bytes <= this.#parts.limit / SEGMENTS) return last;
    const next = { start: this.end, size: 0 };
    this.segments.push(next);
    return next;
  }

  async #startAnew(): Promise<void> {
    const last = this.segments.at(-1);
    if (last === undefined) return;
    try {
      const { size } = await stat(this.pathOf(last));
      this.#parts.onSize(size - last.size);
      last.size = size;
    } catch (error) {
      if (errorCode(error) === "") throw error;
    }
    if (last.size > 0) this.segments.push({ start: this.end, size: 0 });
  }

  #wake(): void {
    for (const wake of this.#readers) wake();
  }
}
