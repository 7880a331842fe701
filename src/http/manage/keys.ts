import type { Access, ApiKey } from "../../domain/account.ts";
import type { Engine } from "../../engine/engine.ts";
import { accountOf } from "../../engine/records/accounts.ts";
import { lastUse } from "../../engine/records/key-uses.ts";
import { createKey, keysOf, type NewKey, revokeKey, rotateKey } from "../../engine/records/keys.ts";
import { ACCESS_WITHIN } from "../access.ts";
import { accountRoute } from "../account-route.ts";
import { type KeysAnswer, type NewKeyAnswer, presentKey, presentNewKey } from "../answers/key.ts";
import type { HttpContext } from "../context.ts";
import { requireScope } from "../opened.ts";
import { parseQuery } from "../query.ts";
import { jsonValue, noContent } from "../reply.ts";
import type { Route } from "../route.ts";
import { CREATE_KEY, ROTATE_KEY } from "./key-schema.ts";
import { pageOf, placeBy } from "./page.ts";
import { parseBody } from "./parse-body.ts";

/** Keys: make, list, rotate, revoke. */
export function keyRoutes(context: HttpContext): Route[] {
  const { engine } = context;

  /** The caller's own account, or for admins any other. */
  function accountFor(access: Access, named: string | undefined): string {
    if (named === undefined || named === access.account) return access.account;
    requireScope(access, ACCESS_WITHIN["the account of another"], "Another account");
    return accountOf(engine, named).id;
  }

  return [
    accountRoute(context, {
      methods: ["POST"],
      path: "/v1/keys",
      async handle(call, access) {
        const { name, scopes, endpoints, ...given } = await parseBody(context, call, CREATE_KEY);
        const account = accountFor(access, given.account ?? undefined);
        const bound = { account, scopes: [...new Set(scopes)], endpoints: endpoints ?? undefined };
        return jsonValue(shownNew(engine, await createKey(engine, access, name, bound)));
      },
    }),
    accountRoute(context, {
      methods: ["GET"],
      path: "/v1/keys",
      handle(call, access) {
        const account = accountFor(access, parseQuery(call.query).text("account"));
        const { items, nextCursor } = pageOf(call, keysOf(engine, account), (key) =>
          placeBy(key.createdAt ?? 0, key.id),
        );
        return jsonValue({ keys: items.map((key) => shown(engine, key)), nextCursor } satisfies KeysAnswer);
      },
    }),
    accountRoute(context, {
      methods: ["POST"],
      path: "/v1/keys/{key}/rotate",
      async handle(call, access) {
        const { overlapMs } = await parseBody(context, call, ROTATE_KEY);
        const [id = ""] = call.parameters;
        return jsonValue(shownNew(engine, await rotateKey(engine, access, id, overlapMs)));
      },
    }),
    accountRoute(context, {
      methods: ["DELETE"],
      path: "/v1/keys/{key}",
      async handle(call, access) {
        await revokeKey(engine, access, call.parameters[0] ?? "");
        return noContent();
      },
    }),
  ];
}

function shownNew(engine: Engine, { record, text }: NewKey): NewKeyAnswer {
  return presentNewKey(text, shown(engine, record));
}

function shown(engine: Engine, key: ApiKey) {
  return presentKey(key, { lastUsedAt: lastUse(engine, key), now: engine.clock.now() });
}
