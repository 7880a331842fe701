import { z } from "zod";
import { allAccounts, createAccount } from "../../engine/records/accounts.ts";
import { accountOperation } from "../account-operation.ts";
import { ACCOUNT, ACCOUNTS, type AccountsAnswer, presentAccount } from "../answers/key.ts";
import { jsonValue } from "../reply.ts";
import { PAGE, pageOf, placeBy } from "./page.ts";
import { recordName } from "./text-fields.ts";

const list = accountOperation({
  id: "listAccounts",
  method: "GET",
  path: "/v1/accounts",
  access: "admin",
  tag: "accounts",
  summary: "List accounts",
  query: PAGE,
  answers: { 200: { description: "The accounts.", json: ACCOUNTS } },
  handle({ engine }, _call, { query }) {
    const { items, nextCursor } = pageOf(query(), allAccounts(engine), ({ createdAt = 0, id }) =>
      placeBy(createdAt, id),
    );
    return jsonValue({ accounts: items.map(presentAccount), nextCursor } satisfies AccountsAnswer);
  },
});

const create = accountOperation({
  id: "createAccount",
  method: "POST",
  path: "/v1/accounts",
  access: "admin",
  tag: "accounts",
  summary: "Create an account",
  body: {
    schema: z
      .strictObject({ name: recordName })
      .meta({ id: "AccountCreation", description: "What is said of a new account." }),
    example: { name: "team-a" },
    isRequired: true,
  },
  answers: { 200: { description: "The account.", json: ACCOUNT } },
  errors: ["NAME_TAKEN", "STORAGE_FULL"],
  async handle({ engine }, _call, { body }) {
    const { name } = await body();
    return jsonValue(presentAccount(await createAccount(engine, name)));
  },
});

/** Accounts: list, create (docs/accounts.md). */
export const ACCOUNT_OPERATIONS = [list, create] as const;
