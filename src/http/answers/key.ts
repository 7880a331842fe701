import { z } from "zod";
import type { Access, Account, ApiKey } from "../../domain/account.ts";
import { SCOPES } from "../../domain/scope.ts";
import { type Answered, dateText, id, moment, nextCursor, type Shown } from "./members.ts";

/** API keys, the accounts that they open, and sessions of the console (docs/accounts.md). */
const members = {
  id,
  account: id.meta({ description: "Whose it is." }),
  name: z.string(),
  scopes: z.array(z.enum(SCOPES)).min(1),
  endpoints: z.array(z.string()).min(1).optional().meta({ description: "The only ones that it opens." }),
  createdAt: moment.optional(),
  lastUsedAt: moment.optional(),
  previousUntil: moment.optional(),
};

const A_KEY = {
  id: "k2b7x9m4qd1s8f",
  account: "default",
  name: "web shop",
  scopes: ["write"],
  createdAt: "2026-08-01T12:00:00.000Z",
};

const key = z.strictObject(members).meta({ id: "Key", description: "An API key, without the key itself." });

export const KEYS = {
  schema: z.strictObject({ keys: z.array(key), nextCursor: nextCursor.optional() }),
  example: { keys: [A_KEY] },
};

export const NEW_KEY = {
  schema: z
    .strictObject({
      ...members,
      key: z.string().meta({ description: "The key itself; it is shown here only." }),
    })
    .meta({ id: "NewKey", description: "An API key that was just made." }),
  example: { ...A_KEY, key: "fbk_k2b7x9m4qd1s8f_…" },
};

export type KeyAnswer = Answered<typeof key>;
export type KeysAnswer = Answered<typeof KEYS.schema>;
export type NewKeyAnswer = Answered<typeof NEW_KEY.schema>;

/** When a key was last used, and the present time: both change without the record of the key. */
interface KeyFacts {
  readonly lastUsedAt: number | undefined;
  readonly now: number;
}

export function presentKey(record: ApiKey, { lastUsedAt, now }: KeyFacts): Shown<KeyAnswer> {
  const { id, account, name, scopes, endpoints, createdAt, previous } = record;
  return {
    id,
    account,
    name,
    scopes,
    endpoints,
    createdAt: dateText(createdAt),
    lastUsedAt: dateText(lastUsedAt),
    previousUntil: previous !== undefined && previous.until > now ? dateText(previous.until) : undefined,
  };
}

/** The only answer that contains the key itself. */
export function presentNewKey(text: string, shown: Shown<KeyAnswer>): Shown<NewKeyAnswer> {
  const { id, ...rest } = shown;
  return { id, key: text, ...rest };
}

const account = z
  .strictObject({ id, name: z.string(), createdAt: moment.optional() })
  .meta({ id: "Account", description: "Who owns endpoints, templates and keys." });

export const ACCOUNT = {
  schema: account,
  example: { id: "a9r3t6y1uc", name: "team-a", createdAt: "2026-08-01T12:00:00.000Z" },
};

export const ACCOUNTS = {
  schema: z.strictObject({ accounts: z.array(account), nextCursor: nextCursor.optional() }),
  example: { accounts: [ACCOUNT.example] },
};

export type AccountAnswer = Answered<typeof account>;
export type AccountsAnswer = Answered<typeof ACCOUNTS.schema>;

export function presentAccount({ id, name, createdAt }: Account): Shown<AccountAnswer> {
  return { id, name, createdAt: dateText(createdAt) };
}

export const SESSION = {
  schema: z
    .strictObject({
      account: z.strictObject({ id, name: z.string() }),
      scopes: z.array(z.enum(SCOPES)).min(1),
      endpoints: z.array(z.string()).min(1).optional().meta({ description: "The only ones that it opens." }),
    })
    .meta({ id: "Session", description: "What a key opens." }),
  example: { account: { id: "default", name: "default" }, scopes: ["manage"] },
};

export type SessionAnswer = Answered<typeof SESSION.schema>;

/** What a key opens, with the name of its account. */
export function presentSession({ account, scopes, endpoints }: Access, name: string): Shown<SessionAnswer> {
  return { account: { id: account, name }, scopes, endpoints };
}
