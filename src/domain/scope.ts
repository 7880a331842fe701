/** What a key may do, each more than the one before it (design, row 21). */
export const SCOPES = ["read", "write", "manage", "admin"] as const;

export type Scope = (typeof SCOPES)[number];

/** Whether the scopes of a key contain this one. */
export function covers(held: readonly Scope[], scope: Scope): boolean {
  return SCOPES.slice(SCOPES.indexOf(scope)).some((higher) => held.includes(higher));
}
