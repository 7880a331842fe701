import { z } from "zod";
import { SCOPES } from "../../../domain/scope.ts";
import { id, moment, nextCursor } from "./words.ts";

/** The answers of the operations on keys and accounts (docs/api.md, 5). */
const key = {
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

export const KEYS = {
  schema: z.strictObject({
    keys: z.array(
      z.strictObject(key).meta({ id: "Key", description: "An API key, without the key itself." }),
    ),
    nextCursor: nextCursor.optional(),
  }),
  example: { keys: [A_KEY] },
};

export const NEW_KEY = {
  schema: z
    .strictObject({ ...key, key: z.string().meta({ description: "The key itself; it is shown here only." }) })
    .meta({ id: "NewKey", description: "An API key that was just made." }),
  example: { ...A_KEY, key: "fbk_k2b7x9m4qd1s8f_…" },
};

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
