/** An account as the server answers it. */
export interface AccountRecord {
  readonly id: string;
  readonly name: string;
  readonly createdAt?: string;
}

/** A key as the server answers it; `key` only when it was just made. */
export interface KeyRecord {
  readonly id: string;
  readonly key?: string;
  readonly account: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly endpoints?: readonly string[];
  readonly createdAt?: string;
  readonly lastUsedAt?: string;
  readonly previousUntil?: string;
}
