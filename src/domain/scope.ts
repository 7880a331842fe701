/** What a key may do, each more than the one before it (design, row 21). */
const RANKS = ["read", "write", "manage", "admin"] as const;

/** `metrics` stands beside the others: only `admin` contains it. */
export const SCOPES = [...RANKS, "metrics"] as const;

export type Scope = (typeof SCOPES)[number];

/** Scopes of what is the operator's, and no account's: keys with one cannot be bound to endpoints. */
export const OPERATORS_SCOPES: readonly Scope[] = ["admin", "metrics"];

/** The scopes that contain each one. */
const CONTAINING: Readonly<Record<Scope, readonly Scope[]>> = {
  read: RANKS,
  write: RANKS.slice(RANKS.indexOf("write")),
  manage: RANKS.slice(RANKS.indexOf("manage")),
  admin: ["admin"],
  metrics: OPERATORS_SCOPES,
};

/** Whether the scopes of a key contain this one. */
export function covers(held: readonly Scope[], scope: Scope): boolean {
  return CONTAINING[scope].some((one) => held.includes(one));
}
