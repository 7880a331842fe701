import type { Clock } from "../domain/clock.ts";
import { ForebayError } from "../domain/errors.ts";

/** What happens to a body for which there is no room: it is refused, or not read until there is. */
export type WhenFull = "refuse" | "wait";

/** How many bytes of large bodies may be in flight: from before they are read until they are stored. */
export class ByteBudget {
  readonly #limit: number;
  readonly #whenFull: WhenFull;
  #taken = 0;
  /** In the order in which they came. */
  readonly #waiting: { readonly bytes: number; readonly admit: () => void }[] = [];

  constructor(limit: number, whenFull: WhenFull) {
    this.#limit = wholeBytes(limit);
    this.#whenFull = whenFull;
  }

  /**
   * Makes room for a body of `bytes`; `leave` gives it back. A body that is larger than the whole budget has
   * room when it is alone. Throws OVERLOADED where the full are refused.
   */
  async enter(bytes: number): Promise<void> {
    wholeBytes(bytes);
    if (this.#waiting.length === 0 && this.#fits(bytes)) this.#taken += bytes;
    else if (this.#whenFull === "wait") {
      // The sender is held back by TCP meanwhile: what is not asked for is not read.
      await new Promise<void>((admit) => this.#waiting.push({ bytes, admit }));
    } else {
      throw new ForebayError(
        "OVERLOADED",
        "The server is receiving as much as it can hold. Nothing was created. Try again in a moment.",
      );
    }
  }

  /** The same for bytes that can do without: whether there is room for them now. */
  tryEnter(bytes: number): boolean {
    wholeBytes(bytes);
    if (this.#waiting.length > 0 || !this.#fits(bytes)) return false;
    this.#taken += bytes;
    return true;
  }

  /** Whether there is room within `ms`; if not, nothing was taken. */
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

  /** Whether anybody waits for room. */
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

/** One NaN in the sum would refuse every body from then on. Throws a RangeError: a fault of the caller. */
function wholeBytes(bytes: number): number {
  if (Number.isSafeInteger(bytes) && bytes >= 0) return bytes;
  throw new RangeError(`${bytes} is not a number of bytes`);
}

/** The budgets of a server: clients' bodies can never keep out what workers have to say. */
export interface ByteBudgets {
  readonly clients: ByteBudget;
  readonly workers: ByteBudget;
  readonly answers: AnswerBudgets;
}

/** Room for large answers while their readers take them: slow clients never keep workers from their jobs. */
export interface AnswerBudgets {
  readonly clients: ByteBudget;
  readonly workers: ByteBudget;
}

/** A result that is refused would be sent twice more and then dropped: so workers wait, in room of theirs. */
export function byteBudgets(clientBytes: number): ByteBudgets {
  const quarter = Math.floor(clientBytes / 4);
  return {
    clients: new ByteBudget(clientBytes, "refuse"),
    workers: new ByteBudget(quarter, "wait"),
    answers: { clients: new ByteBudget(quarter, "refuse"), workers: new ByteBudget(quarter, "refuse") },
  };
}
