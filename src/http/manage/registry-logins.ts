import { z } from "zod";
import {
  createRegistryLogin,
  deleteRegistryLogin,
  registryLoginOf,
  registryLoginsOf,
  type ShownRegistryLogin,
} from "../../engine/records/registry-logins.ts";
import { accountRoute } from "../account-route.ts";
import { presentLogin } from "../answers/template.ts";
import type { HttpContext } from "../context.ts";
import { listReply } from "../list-reply.ts";
import { jsonValue, noContent } from "../reply.ts";
import type { Route } from "../route.ts";
import { parseBody } from "./parse-body.ts";
import { recordName } from "./record-name.ts";
import { text } from "./text.ts";

/** Some clouds give out keys of several kilobytes as passwords. */
const LONGEST_PASSWORD = 65_536;

/** A colon would end the username where registries are logged in to (RFC 7617). */
const username = text(1_024, 1)
  .refine((value) => !value.includes(":"), "must not have a colon")
  .meta({ pattern: "^[^\\u0000:]*$" });

export const CREATE_REGISTRY_LOGIN = z.strictObject({
  name: recordName,
  username,
  password: text(LONGEST_PASSWORD, 1),
});

/** Registry logins: make, list, read, delete. No answer has username or password. */
export function registryLoginRoutes(context: HttpContext): Route[] {
  const { engine } = context;
  return [
    accountRoute(context, {
      methods: ["POST"],
      path: "/v1/containerregistryauth",
      async handle(call, { account }) {
        const given = await parseBody(context, call, CREATE_REGISTRY_LOGIN);
        return jsonValue(presentLogin(await createRegistryLogin(engine, account, given)));
      },
    }),
    accountRoute(context, {
      methods: ["GET"],
      path: "/v1/containerregistryauth",
      handle: (call, { account }) =>
        listReply(call, context.budgets.answers.clients, records(registryLoginsOf(engine, account))),
    }),
    accountRoute(context, {
      methods: ["GET"],
      path: "/v1/containerregistryauth/{registryLogin}",
      handle: (call, { account }) =>
        jsonValue(presentLogin(registryLoginOf(engine, account, call.parameters[0] ?? ""))),
    }),
    accountRoute(context, {
      methods: ["DELETE"],
      path: "/v1/containerregistryauth/{registryLogin}",
      async handle(call, { account }) {
        await deleteRegistryLogin(engine, account, call.parameters[0] ?? "");
        return noContent();
      },
    }),
  ];
}

async function* records(logins: readonly ShownRegistryLogin[]) {
  for (const login of logins) yield () => [JSON.stringify(presentLogin(login))];
}
