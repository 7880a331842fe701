/** What a key may do, each more than the one before it (design, row 21). */
const LADDER = ["read", "write", "manage", "admin"] as const;

/** The ladder, and what stands beside it: a key for the collector of metrics may do nothing else. */
export const SCOPES = [...LADDER, "metrics"] as const;

export type Scope = (typeof SCOPES)[number];

/** Whether the scopes of a key contain this one. Admin contains them all. */
export function covers(held: readonly Scope[], scope: Scope): boolean {
  if (scope === "metrics") return held.includes("metrics") || held.includes("admin");
  return LADDER.slice(LADDER.indexOf(scope)).some((higher) => held.includes(higher));
}
