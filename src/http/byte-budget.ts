import type { Clock } from "../domain/clock.ts";
import { ForebayError } from "../domain/errors.ts";

/** What happens to a body without room: it is refused, or read later. */
export type WhenFull = "refuse" | "wait";

/** Limits the bytes of large bodies in flight, from before they are read until they are stored. */
export class ByteBudget {
  readonly #limit: number;
  readonly #whenFull: WhenFull;
  #taken = 0;
  /** In order of arrival. */
  readonly #waiting: { readonly bytes: number; readonly admit: () => void }[] = [];

  constructor(limit: number, whenFull: WhenFull) {
    this.#limit = wholeBytes(limit);
    this.#whenFull = whenFull;
  }

  /**
   * Makes room for a body of `bytes`; `leave` gives it back. A body that is larger than the whole budget has
   * room when it is alone. Throws OVERLOADED if the budget refuses when full.
   */
  async enter(bytes: number): Promise<void> {
    wholeBytes(bytes);
    if (this.#waiting.length === 0 && this.#fits(bytes)) this.#taken += bytes;
    else if (this.#whenFull === "wait") {
      // Meanwhile TCP holds the sender back, because nobody reads.
      await new Promise<void>((admit) => this.#waiting.push({ bytes, admit }));
    } else {
      throw new ForebayError(
        "OVERLOADED",
        "The server is receiving as many large bodies as its memory allows. Try again in a moment.",
      );
    }
  }

  /** The same without waiting; false if there is no room now. */
  tryEnter(bytes: number): boolean {
    wholeBytes(bytes);
    if (this.#waiting.length > 0 || !this.#fits(bytes)) return false;
    this.#taken += bytes;
    return true;
  }

  /** Whether there was room within `ms`. If not, nothing was taken. */
  async enterWithin(bytes: number, ms: number, clock: Clock): Promise<boolean> {
    if (this.tryEnter(bytes)) return true;
    if (ms <= 0) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiting = { bytes, admit: () => resolve(true) };
    this.#waiting.push(waiting);
    const stopTimer = clock.after(ms, () => {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      resolve(false);
      this.#admit();
    });
    const isIn = await promise;
    stopTimer();
    return isIn;
  }

  /** Whether somebody waits for room. */
  get isWanted(): boolean {
    return this.#waiting.length > 0;
  }

  leave(bytes: number): void {
    this.#taken = wholeBytes(this.#taken - wholeBytes(bytes));
    this.#admit();
  }

  #admit(): void {
    for (let next = this.#waiting[0]; next !== undefined && this.#fits(next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#taken += next.bytes;
      next.admit();
    }
  }

  #fits(bytes: number): boolean {
    return this.#taken === 0 || this.#taken + bytes <= this.#limit;
  }
}

/** One NaN in the sum would refuse every later body. Throws RangeError for such a fault of the caller. */
function wholeBytes(bytes: number): number {
  if (Number.isSafeInteger(bytes) && bytes >= 0) return bytes;
  throw new RangeError(`${bytes} is not a number of bytes`);
}

/** The budgets of a server. Workers have their own, so clients' bodies never block theirs. */
export interface ByteBudgets {
  readonly clients: ByteBudget;
  readonly workers: ByteBudget;
  readonly answers: AnswerBudgets;
}

/** Room for large answers while readers take them. Slow clients never keep workers from their jobs. */
export interface AnswerBudgets {
  readonly clients: ByteBudget;
  readonly workers: ByteBudget;
}

/** A worker sends a refused result only twice more, then drops it. So workers wait for room. */
export function byteBudgets(clientBytes: number): ByteBudgets {
  const quarter = Math.floor(clientBytes / 4);
  return {
    clients: new ByteBudget(clientBytes, "refuse"),
    workers: new ByteBudget(quarter, "wait"),
    answers: { clients: new ByteBudget(quarter, "refuse"), workers: new ByteBudget(quarter, "refuse") },
  };
}
