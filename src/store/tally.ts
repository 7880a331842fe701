/** How many rows of a kind an endpoint has. */
export interface TallyRow {
  /** Empty for what belongs to none. */
  readonly endpoint: string;
  readonly kind: string;
  readonly count: number;
}

/** In the order in which it is shown; a kind without rows is left out. */
export type Tally = readonly TallyRow[];

export interface ComparedRow {
  readonly endpoint: string;
  readonly kind: string;
  readonly from: number;
  readonly to: number;
}

/** Two tallies side by side. */
export function compareTallies(from: Tally, to: Tally): ComparedRow[] {
  const rows = new Map<string, ComparedRow>();
  for (const { endpoint, kind, count } of from) {
    rows.set(`${endpoint} ${kind}`, { endpoint, kind, from: count, to: 0 });
  }
  for (const { endpoint, kind, count } of to) {
    const name = `${endpoint} ${kind}`;
    rows.set(name, { endpoint, kind, from: rows.get(name)?.from ?? 0, to: count });
  }
  return [...rows.values()];
}
