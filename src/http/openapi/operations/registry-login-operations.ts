import { CREATE_REGISTRY_LOGIN } from "../../manage/registry-logins.ts";
import { REGISTRY_LOGIN, REGISTRY_LOGINS } from "../../answers/template.ts";
import type { Described } from "../description.ts";

/** Operations on registry logins (docs/templates.md). */
export const REGISTRY_LOGIN_OPERATIONS = {
  "/v1/containerregistryauth": {
    GET: {
      id: "listRegistryLogins",
      tag: "registryLogins",
      summary: "List registry logins",
      answers: { 200: { description: "The registry logins.", json: REGISTRY_LOGINS } },
    },
    POST: {
      id: "createRegistryLogin",
      tag: "registryLogins",
      summary: "Create a registry login",
      description:
        "It is used with the registry of whatever image a template names together with it. A login is not " +
        "changed: make another one, and name that in the templates.",
      body: {
        schema: CREATE_REGISTRY_LOGIN.meta({
          id: "RegistryLoginCreation",
          description: "What is said of a new registry login.",
        }),
        example: { name: "ghcr", username: "team-bot", password: "…" },
        isRequired: true,
      },
      answers: { 200: { description: "The registry login.", json: REGISTRY_LOGIN } },
      errors: ["NAME_TAKEN", "LIMIT_REACHED", "STORAGE_FULL"],
    },
  },
  "/v1/containerregistryauth/{registryLogin}": {
    GET: {
      id: "readRegistryLogin",
      tag: "registryLogins",
      summary: "Read a registry login",
      answers: { 200: { description: "The registry login.", json: REGISTRY_LOGIN } },
    },
    DELETE: {
      id: "deleteRegistryLogin",
      tag: "registryLogins",
      summary: "Delete a registry login",
      description: "One that a template names is refused with `IN_USE`.",
      answers: { 204: { description: "It is gone." } },
      errors: ["IN_USE"],
    },
  },
} as const satisfies Partial<Described>;
