import { RANKS, type Session } from "../answers.ts";

/** Whether the key of the session has this scope. */
export function may({ scopes }: Session, scope: (typeof RANKS)[number]): boolean {
  return RANKS.slice(RANKS.indexOf(scope)).some((higher) => scopes.includes(higher));
}
