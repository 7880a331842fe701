import { z } from "zod";
import type { Access, ApiKey } from "../../domain/account.ts";
import { OPERATORS_SCOPES, SCOPES } from "../../domain/scope.ts";
import type { Engine } from "../../engine/engine.ts";
import { accountOf } from "../../engine/records/accounts.ts";
import { lastUse } from "../../engine/records/key-uses.ts";
import { createKey, keysOf, type NewKey, revokeKey, rotateKey } from "../../engine/records/keys.ts";
import { accountOperation } from "../account-operation.ts";
import { requireScope } from "../opened.ts";
import {
  KEYS,
  type KeysAnswer,
  NEW_KEY,
  type NewKeyAnswer,
  presentKey,
  presentNewKey,
} from "../answers/key.ts";
import { plainText } from "../parameters.ts";
import { jsonValue, noContent } from "../reply.ts";
import { PAGE, pageOf, placeBy } from "./page.ts";
import { recordName } from "./text-fields.ts";

const DAY = 86_400_000;

const CREATION = z
  .strictObject({
    name: recordName,
    scopes: z.array(z.enum(SCOPES)).min(1, "must have at least one scope").max(SCOPES.length),
    endpoints: z.array(recordName).min(1, "must have at least one endpoint").max(1_000).nullish(),
    account: z.string().max(191).nullish(),
  })
  .refine(
    ({ scopes, endpoints }) =>
      (endpoints ?? undefined) === undefined || !scopes.some((scope) => OPERATORS_SCOPES.includes(scope)),
    {
      path: ["endpoints"],
      message: "a key with the scope admin or metrics cannot be limited to endpoints",
    },
  );

const list = accountOperation({
  id: "listKeys",
  method: "GET",
  path: "/v1/keys",
  access: "manage",
  tag: "keys",
  summary: "List keys",
  query: {
    account: plainText(
      "The id or name of the account. Default: your own; another one requires the scope admin.",
    ),
    ...PAGE,
  },
  answers: { 200: { description: "The keys.", json: KEYS } },
  errors: ["ACCOUNT_NOT_FOUND"],
  handle({ engine }, _call, { access, query }) {
    const { account: named, ...page } = query();
    const account = accountFor(engine, access, named);
    const { items, nextCursor } = pageOf(page, keysOf(engine, account), (key) =>
      placeBy(key.createdAt ?? 0, key.id),
    );
    return jsonValue({ keys: items.map((key) => shown(engine, key)), nextCursor } satisfies KeysAnswer);
  },
});

const create = accountOperation({
  id: "createKey",
  method: "POST",
  path: "/v1/keys",
  access: "manage",
  tag: "keys",
  summary: "Create a key",
  description:
    "It may do no more than the key with which it is made. One with the scope admin has no `endpoints`.",
  body: {
    schema: CREATION.meta({ id: "KeyCreation", description: "What is said of a new key." }),
    example: { name: "web shop", scopes: ["write"] },
    isRequired: true,
  },
  answers: { 200: { description: "The key, which is shown only once.", json: NEW_KEY } },
  errors: ["ACCOUNT_NOT_FOUND", "ENDPOINT_NOT_FOUND", "NAME_TAKEN", "LIMIT_REACHED", "STORAGE_FULL"],
  async handle({ engine }, _call, { access, body }) {
    const { name, scopes, endpoints, ...given } = await body();
    const account = accountFor(engine, access, given.account ?? undefined);
    const bound = { account, scopes: [...new Set(scopes)], endpoints: endpoints ?? undefined };
    return jsonValue(shownNew(engine, await createKey(engine, access, name, bound)));
  },
});

const revoke = accountOperation({
  id: "revokeKey",
  method: "DELETE",
  path: "/v1/keys/{key}",
  access: "manage",
  tag: "keys",
  summary: "Revoke a key",
  answers: { 204: { description: "The key is revoked." } },
  async handle({ engine }, { parameters: [id = ""] }, { access }) {
    await revokeKey(engine, access, id);
    return noContent();
  },
});

const rotate = accountOperation({
  id: "rotateKey",
  method: "POST",
  path: "/v1/keys/{key}/rotate",
  access: "manage",
  tag: "keys",
  summary: "Rotate a key",
  description: "The old key stays valid for `overlapMs`.",
  body: {
    schema: z
      .strictObject({
        overlapMs: z
          .int()
          .min(0)
          .max(30 * DAY)
          .default(DAY),
      })
      .meta({ id: "KeyRotation", description: "How long the old key stays valid." }),
    example: { overlapMs: 3_600_000 },
    isRequired: false,
  },
  answers: { 200: { description: "The new key, which is shown only once.", json: NEW_KEY } },
  errors: ["CHANGED_MEANWHILE", "STORAGE_FULL"],
  async handle({ engine }, { parameters: [id = ""] }, { access, body }) {
    const { overlapMs } = await body();
    return jsonValue(shownNew(engine, await rotateKey(engine, access, id, overlapMs)));
  },
});

/** Keys: list, create, revoke, rotate (docs/accounts.md). */
export const KEY_OPERATIONS = [list, create, revoke, rotate] as const;

/** The caller's own account; for admins, any other. */
function accountFor(engine: Engine, access: Access, named: string | undefined): string {
  if (named === undefined || named === access.account) return access.account;
  requireScope(access, "admin", "Another account");
  return accountOf(engine, named).id;
}

function shownNew(engine: Engine, { record, text }: NewKey): NewKeyAnswer {
  return presentNewKey(text, shown(engine, record));
}

function shown(engine: Engine, key: ApiKey) {
  return presentKey(key, { lastUsedAt: lastUse(engine, key), now: engine.clock.now() });
}
