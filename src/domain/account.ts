import type { Scope } from "./scope.ts";

/** Who owns endpoints, templates and keys. */
export interface Account {
  readonly id: string;
  readonly name: string;
  /** Undefined for accounts from before this was kept. */
  readonly createdAt?: number | undefined;
}

/** What a key opens. */
export interface Access {
  readonly account: string;
  readonly scopes: readonly Scope[];
  /** Ids of the only endpoints that it opens; undefined: it is bound to none. */
  readonly endpoints?: readonly string[] | undefined;
}

/** A key of the two APIs. Only its SHA-256 is kept. */
export interface ApiKey extends Access {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the key in hexadecimal. */
  readonly digest: string;
  /** What the key was before it was rotated; opens the same until then. */
  readonly previous?: { readonly digest: string; readonly until: number } | undefined;
  /** Undefined for keys from before this was kept. */
  readonly createdAt?: number | undefined;
}

/** When a key was last used, to the minute. Not in the key's record: that is for changes of the key. */
export interface KeyUse {
  /** That of the key. */
  readonly id: string;
  readonly account: string;
  readonly at: number;
}

/** Sessions of the console that people ended before their time, by the key with which they signed in. */
export interface EndedSessions {
  /** That of the key. */
  readonly id: string;
  readonly account: string;
  /** All sessions that began at this time or before have ended. */
  readonly before: number;
  readonly sessions: readonly EndedSession[];
}

export interface EndedSession {
  readonly id: string;
  /** When it would have ended by itself. */
  readonly until: number;
}

/** The account that is there from the first start. */
export const DEFAULT_ACCOUNT: Account = { id: "default", name: "default" };
