import { z } from "zod";
import {
  createRegistryLogin,
  deleteRegistryLogin,
  registryLoginOf,
  registryLoginsOf,
  type ShownRegistryLogin,
} from "../../engine/records/registry-logins.ts";
import { accountOperation } from "../account-operation.ts";
import { listReply } from "../list-reply.ts";
import { presentLogin, REGISTRY_LOGIN, REGISTRY_LOGINS } from "../answers/template.ts";
import { jsonValue, noContent } from "../reply.ts";
import { recordName, text } from "./text-fields.ts";

/** Some clouds issue keys of several kilobytes as passwords. */
const LONGEST_PASSWORD = 65_536;

/** In the login of a registry a colon ends the username (RFC 7617). */
const username = text(1_024, 1)
  .refine((value) => !value.includes(":"), "must not contain a colon")
  .meta({ pattern: "^[^\\u0000:]*$" });

const list = accountOperation({
  id: "listRegistryLogins",
  method: "GET",
  path: "/v1/containerregistryauth",
  access: "manage",
  tag: "registryLogins",
  summary: "List registry logins",
  answers: { 200: { description: "The registry logins.", json: REGISTRY_LOGINS } },
  handle: ({ engine, budgets }, call, { access: { account } }) =>
    listReply(call, budgets.answers.clients, records(registryLoginsOf(engine, account))),
});

export const createLogin = accountOperation({
  id: "createRegistryLogin",
  method: "POST",
  path: "/v1/containerregistryauth",
  access: "manage",
  tag: "registryLogins",
  summary: "Create a registry login",
  description:
    "It is used with the registry of whatever image a template names together with it. A login is not " +
    "changed: make another one, and name that in the templates.",
  body: {
    schema: z
      .strictObject({ name: recordName, username, password: text(LONGEST_PASSWORD, 1) })
      .meta({ id: "RegistryLoginCreation", description: "What is said of a new registry login." }),
    example: { name: "ghcr", username: "team-bot", password: "…" },
    isRequired: true,
  },
  answers: { 200: { description: "The registry login.", json: REGISTRY_LOGIN } },
  errors: ["NAME_TAKEN", "LIMIT_REACHED", "STORAGE_FULL"],
  async handle({ engine }, _call, { access: { account }, body }) {
    return jsonValue(presentLogin(await createRegistryLogin(engine, account, await body())));
  },
});

export const readLogin = accountOperation({
  id: "readRegistryLogin",
  method: "GET",
  path: "/v1/containerregistryauth/{registryLogin}",
  access: "manage",
  tag: "registryLogins",
  summary: "Read a registry login",
  answers: { 200: { description: "The registry login.", json: REGISTRY_LOGIN } },
  handle: ({ engine }, { parameters: [login = ""] }, { access: { account } }) =>
    jsonValue(presentLogin(registryLoginOf(engine, account, login))),
});

export const removeLogin = accountOperation({
  id: "deleteRegistryLogin",
  method: "DELETE",
  path: "/v1/containerregistryauth/{registryLogin}",
  access: "manage",
  tag: "registryLogins",
  summary: "Delete a registry login",
  description: "One that a template names is refused with `IN_USE`.",
  answers: { 204: { description: "It is gone." } },
  errors: ["IN_USE"],
  async handle({ engine }, { parameters: [login = ""] }, { access: { account } }) {
    await deleteRegistryLogin(engine, account, login);
    return noContent();
  },
});

/** Registry logins: list, create, read, delete. No answer has username or password (docs/templates.md). */
export const REGISTRY_LOGIN_OPERATIONS = [list, createLogin, readLogin, removeLogin] as const;

async function* records(logins: readonly ShownRegistryLogin[]) {
  for (const login of logins) yield () => [JSON.stringify(presentLogin(login))];
}
