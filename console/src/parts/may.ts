import { RANKS, type Session } from "../answers.ts";

/** Whether the key of the session may do what this scope opens. */
export function may({ scopes }: Session, scope: (typeof RANKS)[number]): boolean {
  return RANKS.slice(RANKS.indexOf(scope)).some((higher) => scopes.includes(higher));
}
