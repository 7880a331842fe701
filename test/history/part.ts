import { ABSENT, keyOf, type Register } from "./register.ts";

/** The begin of an order: which operations have their places in it, and what the job is after them. */
export class Part {
  readonly job: Register;
  /** All operations that must have a place have one, up to this index. */
  readonly floor: number;
  /** Those behind it that have one. */
  readonly #placed: ReadonlySet<number>;
  /** Of those that need none. */
  readonly #used: readonly number[];

  constructor(job: Register, floor: number, placed: ReadonlySet<number>, used: readonly number[]) {
    this.job = job;
    this.floor = floor;
    this.#placed = placed;
    this.#used = used;
  }

  get count(): number {
    return this.floor + this.#placed.size;
  }

  /** Two with the same key differ only in what `isAtLeast` compares. */
  key(): string {
    const placed = [...this.#placed].toSorted((one, other) => one - other).join();
    const job = this.job.isSeen ? this.job : { ...this.job, attempt: 0 };
    return `${this.floor} ${placed} ${keyOf(job)}`;
  }

  /** Whether all that can follow the other one can follow this one, too. */
  isAtLeast(other: Part): boolean {
    return this.job.attempt <= other.job.attempt && this.#used.every((index) => other.isUsed(index));
  }

  isPlaced(index: number): boolean {
    return index < this.floor || this.#placed.has(index);
  }

  isUsed(index: number): boolean {
    return this.#used.includes(index);
  }

  placing(index: number, job: Register): Part {
    const placed = new Set(this.#placed).add(index);
    let floor = this.floor;
    while (placed.delete(floor)) floor++;
    return new Part(job, floor, placed, this.#used);
  }

  using(index: number, job: Register): Part {
    const used = [...this.#used, index].toSorted((one, other) => one - other);
    return new Part(job, this.floor, this.#placed, used);
  }
}

export const START = new Part(ABSENT, 0, new Set(), []);
