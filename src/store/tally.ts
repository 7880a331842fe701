/** The number of rows of a kind that an endpoint has. */
export interface TallyRow {
  /** Empty for rows without an endpoint. */
  readonly endpoint: string;
  readonly kind: string;
  readonly count: number;
}

/** In the order in which it is shown. Kinds without rows are missing. */
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
