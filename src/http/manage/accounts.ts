import { z } from "zod";
import { allAccounts, createAccount } from "../../engine/records/accounts.ts";
import { accountRoute } from "../account-route.ts";
import { type AccountsAnswer, presentAccount } from "../answers/key.ts";
import type { HttpContext } from "../context.ts";
import { jsonValue } from "../reply.ts";
import type { Route } from "../route.ts";
import { pageOf, placeBy } from "./page.ts";
import { parseBody } from "./parse-body.ts";
import { recordName } from "./record-name.ts";

export const CREATE_ACCOUNT = z.strictObject({ name: recordName });

/** Accounts: make, list. */
export function accountRoutes(context: HttpContext): Route[] {
  const { engine } = context;
  return [
    accountRoute(context, {
      methods: ["POST"],
      path: "/v1/accounts",
      async handle(call) {
        const { name } = await parseBody(context, call, CREATE_ACCOUNT);
        return jsonValue(presentAccount(await createAccount(engine, name)));
      },
    }),
    accountRoute(context, {
      methods: ["GET"],
      path: "/v1/accounts",
      handle(call) {
        const { items, nextCursor } = pageOf(call, allAccounts(engine), ({ createdAt = 0, id }) =>
          placeBy(createdAt, id),
        );
        return jsonValue({ accounts: items.map(presentAccount), nextCursor } satisfies AccountsAnswer);
      },
    }),
  ];
}
