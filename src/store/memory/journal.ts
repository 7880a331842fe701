/** How to undo what the steps since the last commit have changed. */
export class Journal {
  readonly #undos: (() => void)[] = [];

  /** The number of changes noted so far. */
  get length(): number {
    return this.#undos.length;
  }

  /** Notes how to undo a change that was just made. */
  note(undo: () => void): void {
    this.#undos.push(undo);
  }

  /** Undoes the changes behind the first `length`, the last one first. */
  undoTo(length: number): void {
    for (const undo of this.#undos.splice(length).toReversed()) undo();
  }

  /** What was changed stays. */
  clear(): void {
    this.#undos.length = 0;
  }
}

/** Values by name whose changes are noted in a journal. */
export class JournaledMap<Value> {
  readonly #journal: Journal;
  readonly #values = new Map<string, Value>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  get(name: string): Value | undefined {
    return this.#values.get(name);
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  entries(): Iterable<[name: string, value: Value]> {
    return this.#values.entries();
  }

  /** Undefined removes the value. */
  put(name: string, after: Value | undefined): void {
    const before = this.#values.get(name);
    this.putForGood(name, after);
    this.#journal.note(() => this.putForGood(name, before));
  }

  /** The same for what no step does: it is not undone. */
  putForGood(name: string, value: Value | undefined): void {
    if (value === undefined) this.#values.delete(name);
    else this.#values.set(name, value);
  }
}
