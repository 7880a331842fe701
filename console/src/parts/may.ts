import { SCOPES, type Scope, type Session } from "../answers.ts";

/** Whether the key of the session may do what this scope opens. */
export function may({ scopes }: Session, scope: Scope): boolean {
  return SCOPES.slice(SCOPES.indexOf(scope)).some((higher) => scopes.includes(higher));
}
