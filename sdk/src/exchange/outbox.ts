import type { RunningJob } from "../running-job.ts";

/** The lists of an exchange that carry reports of handlers. */
type List = "chunks" | "progress" | "results";

/** One report of a handler. */
export interface Entry {
  readonly list: List;
  readonly run: RunningJob;
  /** The entry as JSON. */
  json: string;
}

/** A call carries at most this many entries and characters, but at least one entry. */
const MAX_ENTRIES = 1_000;
const MAX_LENGTH = 8 * 1_048_576;

/** While fewer characters than this wait, handlers may continue to yield. */
const ROOM = 1_048_576;

/**
 * Reports that wait to be stored, in order. They leave in batches, and come back if the server could not take
 * the batch.
 */
export class Outbox {
  #waiting: Entry[] = [];
  #sent: Entry[] = [];
  /** The waiting progress value of each job. A newer one replaces it. */
  readonly #progress = new Map<RunningJob, Entry>();
  #length = 0;
  #results = 0;
  #maxEntries = MAX_ENTRIES;
  #onRoom: (() => void)[] = [];

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** How many results wait, without those in the batch under way. */
  get waitingResults(): number {
    return this.#results;
  }

  /** Jobs that have ended here but not on the server, without those in the batch under way. */
  get waitingIds(): string[] {
    return resultIds(this.#waiting);
  }

  get sentIds(): string[] {
    return resultIds(this.#sent);
  }

  add(entry: Entry): void {
    const older = entry.list === "progress" ? this.#progress.get(entry.run) : undefined;
    if (older === undefined) {
      this.#waiting.push(entry);
      this.#count(entry, 1);
    } else {
      this.#length += entry.json.length - older.json.length;
      older.json = entry.json;
    }
  }

  /** Undefined if there is room for more; otherwise a promise that resolves when there is. */
  room(): Promise<void> | undefined {
    if (this.#length < ROOM) return undefined;
    return new Promise((resolve) => this.#onRoom.push(resolve));
  }

  /** The oldest entries, to be sent together. */
  takeBatch(): readonly Entry[] {
    let length = 0;
    let count = 0;
    for (const entry of this.#waiting) {
      if (count === this.#maxEntries || (count > 0 && length + entry.json.length > MAX_LENGTH)) break;
      length += entry.json.length;
      count++;
    }
    this.#sent = this.#waiting.splice(0, count);
    for (const entry of this.#sent) this.#count(entry, -1);
    this.#callIfRoom();
    return this.#sent;
  }

  /** The server has stored the batch. */
  stored(): void {
    this.#sent = [];
    this.#maxEntries = MAX_ENTRIES;
  }

  /** The server has not stored the batch: it goes to the front again. */
  putBack(): void {
    // An outdated progress value would now arrive after the newer one.
    const kept = this.#sent.filter(({ list, run }) => list !== "progress" || !this.#progress.has(run));
    this.#sent = [];
    for (const entry of kept) this.#count(entry, 1);
    this.#waiting = [...kept, ...this.#waiting];
    this.dropUnheard();
  }

  /**
   * The server refuses the batch. A single entry is the faulty one. Otherwise the batch goes to the front
   * again, and smaller batches find it.
   */
  refused(): Entry | undefined {
    const [culprit] = this.#sent;
    if (this.#sent.length === 1) {
      this.stored();
      return culprit;
    }
    this.#maxEntries = Math.ceil(this.#sent.length / 2);
    this.putBack();
    return undefined;
  }

  /** Chunks and progress of stopped jobs need not be stored. */
  dropUnheard(): void {
    this.#drop(({ list, run }) => list !== "results" && run.isStopped);
  }

  /** Deletes all entries of this job. */
  drop(run: RunningJob): void {
    this.#drop((entry) => entry.run === run);
  }

  #drop(isUnwanted: (entry: Entry) => boolean): void {
    const unwanted = this.#waiting.filter(isUnwanted);
    if (unwanted.length === 0) return;
    for (const entry of unwanted) this.#count(entry, -1);
    this.#waiting = this.#waiting.filter((entry) => !isUnwanted(entry));
    this.#callIfRoom();
  }

  #count(entry: Entry, by: 1 | -1): void {
    this.#length += by * entry.json.length;
    if (entry.list === "results") this.#results += by;
    if (entry.list !== "progress") return;
    if (by === 1) this.#progress.set(entry.run, entry);
    else this.#progress.delete(entry.run);
  }

  #callIfRoom(): void {
    if (this.#length >= ROOM || this.#onRoom.length === 0) return;
    for (const resolve of this.#onRoom.splice(0)) resolve();
  }
}

function resultIds(entries: readonly Entry[]): string[] {
  return entries.filter(({ list }) => list === "results").map(({ run }) => run.id);
}
