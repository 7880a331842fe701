/** Who owns endpoints, templates and keys. */
export interface Account {
  readonly id: string;
  readonly name: string;
}

/** A key of the two APIs. Only its SHA-256 is kept. */
export interface ApiKey {
  readonly id: string;
  readonly account: string;
  readonly name: string;
  /** SHA-256 of the key in hexadecimal. */
  readonly digest: string;
}

/** The account that is there from the first start. */
export const DEFAULT_ACCOUNT: Account = { id: "default", name: "default" };
