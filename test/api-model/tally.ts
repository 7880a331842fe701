/** How often each kind of command ran, and had the effect it is there for. */
export class Tally {
  readonly #rows = new Map<string, { ran: number; succeeded: number }>();

  ran(kind: string): void {
    this.#row(kind).ran++;
  }

  succeeded(kind: string): void {
    this.#row(kind).succeeded++;
  }

  /** The kinds that succeeded less often than this. */
  below(least: number, kinds: readonly string[]): string[] {
    return kinds.filter((kind) => this.#row(kind).succeeded < least);
  }

  table(title: string): string {
    const rows = [...this.#rows].map(
      ([kind, { ran, succeeded }]) => `${kind.padEnd(12)} ${pad(ran)} ${pad(succeeded)}`,
    );
    return [`${title.padEnd(12)} ${"ran".padStart(8)} ${"succeeded".padStart(9)}`, ...rows, ""].join("\n");
  }

  #row(kind: string): { ran: number; succeeded: number } {
    const row = this.#rows.get(kind) ?? { ran: 0, succeeded: 0 };
    this.#rows.set(kind, row);
    return row;
  }
}

function pad(count: number): string {
  return String(count).padStart(8);
}
