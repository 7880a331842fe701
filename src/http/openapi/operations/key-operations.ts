import { CREATE_ACCOUNT } from "../../manage/accounts.ts";
import { CREATE_KEY, ROTATE_KEY } from "../../manage/key-schema.ts";
import * as answers from "../../answers/key.ts";
import type { Described } from "../description.ts";
import { PAGE, plainText } from "./parameters.ts";

/** Operations on keys and accounts (docs/accounts.md). */
export const KEY_OPERATIONS = {
  "/v1/keys": {
    GET: {
      id: "listKeys",
      tag: "keys",
      summary: "List keys",
      query: {
        account: plainText(
          "The id or name of the account. Default: your own; another one requires the scope admin.",
        ),
        ...PAGE,
      },
      answers: { 200: { description: "The keys.", json: answers.KEYS } },
      errors: ["ACCOUNT_NOT_FOUND"],
    },
    POST: {
      id: "createKey",
      tag: "keys",
      summary: "Create a key",
      description:
        "It may do no more than the key with which it is made. One with the scope admin has no `endpoints`.",
      body: {
        schema: CREATE_KEY.meta({ id: "KeyCreation", description: "What is said of a new key." }),
        example: { name: "web shop", scopes: ["write"] },
        isRequired: true,
      },
      answers: { 200: { description: "The key, which is shown only once.", json: answers.NEW_KEY } },
      errors: ["ACCOUNT_NOT_FOUND", "ENDPOINT_NOT_FOUND", "NAME_TAKEN", "LIMIT_REACHED", "STORAGE_FULL"],
    },
  },
  "/v1/keys/{key}": {
    DELETE: {
      id: "revokeKey",
      tag: "keys",
      summary: "Revoke a key",
      answers: { 204: { description: "It opens nothing any more." } },
    },
  },
  "/v1/keys/{key}/rotate": {
    POST: {
      id: "rotateKey",
      tag: "keys",
      summary: "Rotate a key",
      description: "The key from before is good for `overlapMs` more.",
      body: {
        schema: ROTATE_KEY.meta({
          id: "KeyRotation",
          description: "How long the key from before stays good.",
        }),
        example: { overlapMs: 3_600_000 },
        isRequired: false,
      },
      answers: { 200: { description: "The new key, which is shown only once.", json: answers.NEW_KEY } },
      errors: ["CHANGED_MEANWHILE", "STORAGE_FULL"],
    },
  },
  "/v1/accounts": {
    GET: {
      id: "listAccounts",
      tag: "accounts",
      summary: "List accounts",
      query: PAGE,
      answers: { 200: { description: "The accounts.", json: answers.ACCOUNTS } },
    },
    POST: {
      id: "createAccount",
      tag: "accounts",
      summary: "Create an account",
      body: {
        schema: CREATE_ACCOUNT.meta({ id: "AccountCreation", description: "What is said of a new account." }),
        example: { name: "team-a" },
        isRequired: true,
      },
      answers: { 200: { description: "The account.", json: answers.ACCOUNT } },
      errors: ["NAME_TAKEN", "STORAGE_FULL"],
    },
  },
} as const satisfies Partial<Described>;
