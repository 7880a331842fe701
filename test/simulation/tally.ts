/** How often each thing had an effect. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(name: string, count = 1): void {
    this.#counts.set(name, this.of(name) + count);
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  merge(other: Tally): void {
    for (const [name, count] of other.#counts) this.add(name, count);
  }

  /** Those whose names begin so, without that. */
  group(prefix: string): [name: string, count: number][] {
    const found = [...this.#counts].filter(([name]) => name.startsWith(prefix));
    return found.map(([name, count]): [string, number] => [name.slice(prefix.length), count]).sort();
  }
}
