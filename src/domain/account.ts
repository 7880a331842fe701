import type { Scope } from "./scope.ts";

/** The owner of endpoints, templates and keys. */
export interface Account {
  readonly id: string;
  readonly name: string;
  /** Undefined for accounts from before this was kept. */
  readonly createdAt?: number | undefined;
}

/** What a key may do. */
export interface Access {
  readonly account: string;
  readonly scopes: readonly Scope[];
  /** Ids of the only endpoints that it may use; undefined: all of the account. */
  readonly endpoints?: readonly string[] | undefined;
}

/** A key of the two APIs. Only its SHA-256 is stored. */
export interface ApiKey extends Access {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the key in hexadecimal. */
  readonly digest: string;
  /** SHA-256 of the key before the last rotation, which is valid until then. */
  readonly previous?: { readonly digest: string; readonly until: number } | undefined;
  /** Undefined for keys from before this was kept. */
  readonly createdAt?: number | undefined;
}

/**
 * When a key was last used, to the minute. It has a record of its own, because the record of the key is for
 * changes of the key.
 */
export interface KeyUse {
  /** That of the key. */
  readonly id: string;
  readonly account: string;
  readonly at: number;
}

/** Sessions of the console that people ended early, by the key with which they signed in. */
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
  /** When the session would have ended by itself. */
  readonly until: number;
}

/** The account that exists from the first start. */
export const DEFAULT_ACCOUNT: Account = { id: "default", name: "default" };
