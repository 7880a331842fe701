import { CLIENT_FLAGS, type Command } from "../command.ts";
import { callServer, listAll } from "../server-call.ts";
import { type Column, nameValues, table } from "../terminal/print.ts";
import { widthOf } from "../terminal/terminal-text.ts";
import { parseManageCall } from "./manage-call.ts";
import type { AccountRecord } from "./keys.ts";

const COLUMNS: readonly Column<AccountRecord>[] = [
  { title: "ID", text: ({ id }) => id },
  { title: "NAME", text: ({ name }) => name },
  { title: "CREATED", text: ({ createdAt }) => createdAt ?? "" },
];

/** Lists the accounts of the server. */
export const listAccounts: Command = {
  about: `
Lists the accounts. It takes a key with the scope admin.
`,
  flags: CLIENT_FLAGS,
  examples: ["forebay accounts list"],
  async run(args) {
    const { access, isJson } = parseManageCall(args, undefined);
    const accounts = await listAll<AccountRecord>(access, "/v1/accounts", "accounts");
    console.log(isJson ? JSON.stringify(accounts) : table(accounts, COLUMNS, widthOf(process.stdout)));
  },
};

/** Creates an account. */
export const createAccount: Command = {
  words: "<name>",
  about: `
Makes an account: it owns endpoints, templates and keys, and sees those of no
other. It takes a key with the scope admin.
`,
  flags: CLIENT_FLAGS,
  examples: ["forebay accounts create vision"],
  async run(args) {
    const { access, isJson, word: name } = parseManageCall(args, "name of the account");
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the creation answers just this
    const account = (await callServer(access, "/v1/accounts", '{"id":', { name })) as AccountRecord;
    const { id, createdAt = "" } = account;
    console.log(
      isJson ? JSON.stringify(account) : nameValues(Object.entries({ id, name, created: createdAt })),
    );
  },
};
