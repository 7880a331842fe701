import { createHash } from "node:crypto";

/** Something that can stop: a server or a worker from one start to its end. */
export interface Process {
  readonly name: string;
  /** What it has to do before this time happens then. */
  pausedUntil: number;
  isGone: boolean;
}

export function newProcess(name: string): Process {
  return { name, pausedUntil: 0, isGone: false };
}

interface Entry {
  readonly at: number;
  readonly order: number;
  readonly process: Process;
  readonly label: string;
  readonly action: () => void;
  isCancelled: boolean;
}

/** The one list of all that happens in a simulation, and its time. Nothing else makes time pass. */
export class Agenda {
  now: number;
  steps = 0;
  #order = 0;
  readonly #heap: Entry[] = [];
  readonly #trace = createHash("sha256");

  constructor(startsAt: number) {
    this.now = startsAt;
  }

  /** Plans what `process` does `ms` from now, if it still runs then. The answer takes it back. */
  after(ms: number, process: Process, label: string, action: () => void): () => void {
    const at = this.now + Math.max(0, Math.ceil(ms));
    const entry: Entry = { at, order: this.#order++, process, label, action, isCancelled: false };
    this.#push(entry);
    return () => {
      entry.isCancelled = true;
    };
  }

  /** Resolves `ms` from now, if `process` still runs then; otherwise never. */
  sleep(ms: number, process: Process, label: string): Promise<void> {
    return new Promise((resolve) => void this.after(ms, process, label, resolve));
  }

  /** Does what comes next, if that is at `until` or before. */
  step(until: number): boolean {
    for (let entry = this.#heap[0]; entry !== undefined && entry.at <= until; entry = this.#heap[0]) {
      this.#pop();
      if (entry.isCancelled || entry.process.isGone) continue;
      this.now = Math.max(this.now, entry.at);
      if (entry.process.pausedUntil > this.now) {
        // In the order in which it was due, as after SIGCONT.
        this.#push({ ...entry, at: entry.process.pausedUntil });
        continue;
      }
      this.steps++;
      this.note(`${entry.process.name} ${entry.label}`);
      entry.action();
      return true;
    }
    this.now = Math.max(this.now, until);
    return false;
  }

  /** The time of the next entry. */
  get next(): number {
    return this.#heap[0]?.at ?? Infinity;
  }

  /** Adds to the trace, by which two runs are compared. */
  note(text: string): void {
    this.#trace.update(`${this.now} ${text}\n`);
    this.listener?.(`${this.now} ${text}`);
  }

  /** Sees each line of the trace. */
  listener: ((line: string) => void) | undefined;

  /** Of the whole trace so far. */
  digest(): string {
    return this.#trace.copy().digest("hex");
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let index = heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || !isBefore(entry, above)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      let least = heap[child];
      const right = heap[child + 1];
      if (least !== undefined && right !== undefined && isBefore(right, least)) {
        least = right;
        child++;
      }
      if (least === undefined || !isBefore(least, last)) break;
      heap[index] = least;
      index = child;
    }
    heap[index] = last;
  }
}

function isBefore(one: Entry, other: Entry): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

/** One round of the event loop: a commit is made in one, and what follows from it comes in the next. */
export function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
