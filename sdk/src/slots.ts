import type { WorkerLog } from "./log.ts";

/** Returns how many jobs may run at the same time from now on, given the current number. */
export type ConcurrencyModifier = (current: number) => number | Promise<number>;

/** How many jobs may run at the same time. The modifier is asked between takes. */
export class Slots {
  readonly #modifier: ConcurrencyModifier | undefined;
  readonly #log: WorkerLog;
  #count: number;
  #renewal: Promise<void> | undefined = undefined;
  /** The last complaint about the modifier. It is asked often, and the same complaint is logged once. */
  #complaint = "";

  constructor(count: number, modifier: ConcurrencyModifier | undefined, log: WorkerLog) {
    this.#count = count;
    this.#modifier = modifier;
    this.#log = log;
  }

  get count(): number {
    return this.#count;
  }

  get canChange(): boolean {
    return this.#modifier !== undefined;
  }

  /** Jobs may be taken only after the modifier has answered. */
  get isRenewing(): boolean {
    return this.#renewal !== undefined;
  }

  /** Asks the modifier, if there is one; undefined if it answered at once. */
  renew(): Promise<void> | undefined {
    if (this.#modifier === undefined || this.#renewal !== undefined) return this.#renewal;
    try {
      const answer = this.#modifier(this.#count);
      if (typeof answer === "number") this.#accept(answer);
      else this.#renewal = this.#await(answer);
    } catch (error) {
      this.#refuse(`failed: ${String(error)}`);
    }
    return this.#renewal;
  }

  async #await(answer: Promise<number>): Promise<void> {
    try {
      this.#accept(await answer);
    } catch (error) {
      this.#refuse(`failed: ${String(error)}`);
    }
    this.#renewal = undefined;
  }

  #accept(answer: number): void {
    if (!Number.isInteger(answer)) {
      this.#refuse(`answered ${String(answer)}, which is not a whole number`);
      return;
    }
    this.#count = Math.max(1, answer);
    if (answer < 1) this.#complain(`concurrency_modifier answered ${answer}; the minimum is 1 job at a time`);
    else this.#complaint = "";
  }

  #refuse(fault: string): void {
    this.#complain(`concurrency_modifier ${fault}; concurrency stays ${this.#count}`);
  }

  #complain(sentence: string): void {
    if (sentence !== this.#complaint) this.#log.warn(sentence);
    this.#complaint = sentence;
  }
}
