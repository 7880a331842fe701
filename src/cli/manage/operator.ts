import type { AccountAnswer } from "../../http/answers/key.ts";
import type { RotatedAnswer } from "../../http/answers/server.ts";
import { CLIENT_FLAGS, type Command } from "../command.ts";
import { callServer, listAll } from "../server-call.ts";
import { type Column, nameValues, table } from "../terminal/print.ts";
import { widthOf } from "../terminal/terminal-text.ts";
import { parseManageCall } from "./manage-call.ts";

const COLUMNS: readonly Column<AccountAnswer>[] = [
  { title: "ID", text: ({ id }) => id },
  { title: "NAME", text: ({ name }) => name },
  { title: "CREATED", text: ({ createdAt }) => createdAt ?? "" },
];

/** Lists the accounts of the server. */
export const listAccounts: Command = {
  about: `
Lists the accounts. Requires a key with the scope admin.
`,
  flags: CLIENT_FLAGS,
  examples: ["forebay accounts list"],
  async run(args) {
    const { access, isJson } = parseManageCall(args, undefined);
    const accounts = await listAll(access, "/v1/accounts", "accounts");
    console.log(isJson ? JSON.stringify(accounts) : table(accounts, COLUMNS, widthOf(process.stdout)));
  },
};

/** Creates an account. */
export const createAccount: Command = {
  words: "<name>",
  about: `
Creates an account. It owns endpoints, templates and keys, and cannot see those
of other accounts. Requires a key with the scope admin.
`,
  flags: CLIENT_FLAGS,
  examples: ["forebay accounts create vision"],
  async run(args) {
    const { access, isJson, word: name } = parseManageCall(args, "name of the account");
    const account = await callServer<AccountAnswer>(access, "/v1/accounts", '{"id":', { name });
    const { id, createdAt = "" } = account;
    console.log(
      isJson ? JSON.stringify(account) : nameValues(Object.entries({ id, name, created: createdAt })),
    );
  },
};

/** Encrypts all secrets of a server with a new key, and says what is left to do. */
export const rotateSecrets: Command = {
  about: `
Encrypts all secrets at rest with the newest key, while the server runs. A
single server with a key file creates a new key first, and removes the old one
at the end. Otherwise first set the new key as FOREBAY_SECRET_KEY and the
current one as FOREBAY_SECRET_KEY_PREVIOUS on every server. If it is
interrupted, run it again: it continues.
`,
  flags: CLIENT_FLAGS,
  examples: ["forebay secrets rotate"],
  async run(args) {
    const { access, isJson } = parseManageCall(args, undefined);
    const answer = await callServer<RotatedAnswer>(access, "/v1/secrets/rotate", '{"resealed":', {});
    const { resealed, previousKeyRemoved } = answer;
    const next = previousKeyRemoved
      ? "The old key was removed from the key file."
      : "The old key is no longer needed. Remove it, and restart the servers.";
    console.log(
      isJson ? JSON.stringify(answer) : `${resealed} secrets encrypted with the newest key. ${next}`,
    );
  },
};
