/** Ends a text before the first of some texts. What may be the begin of one is held until that is known. */
export class StopTexts {
  readonly #stops: readonly string[];
  #held = "";
  #hasStopped = false;

  constructor(stops: readonly string[]) {
    this.#stops = stops;
  }

  get hasStopped(): boolean {
    return this.#hasStopped;
  }

  /** Adds text; what of it all is certain to belong to the answer. */
  add(text: string): string {
    const all = this.#held + text;
    const found = this.#stops.map((stop) => all.indexOf(stop)).filter((at) => at >= 0);
    this.#hasStopped = found.length > 0;
    const end = this.#hasStopped ? Math.min(...found) : all.length - this.#uncertain(all);
    this.#held = this.#hasStopped ? "" : all.slice(end);
    return all.slice(0, end);
  }

  /** What is held: nothing more will come. */
  finish(): string {
    return this.#held;
  }

  #uncertain(all: string): number {
    const longest = Math.max(0, ...this.#stops.map((stop) => stop.length - 1));
    for (let length = Math.min(longest, all.length); length > 0; length--) {
      if (this.#stops.some((stop) => stop.startsWith(all.slice(-length)))) return length;
    }
    return 0;
  }
}
