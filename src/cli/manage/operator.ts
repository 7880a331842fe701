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
Lists the accounts. It takes a key with the scope admin.
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
Makes an account: it owns endpoints, templates and keys, and sees those of no
other. It takes a key with the scope admin.
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
Seals all secrets at rest by the newest key, while the server runs. A server
alone on its data that keeps its key in a file makes a new key first, and
removes the one before at the end. Elsewhere every server is given the new key
as FOREBAY_SECRET_KEY and the present one as FOREBAY_SECRET_KEY_PREVIOUS
before. Call it again if it was cut: it goes on.
`,
  flags: CLIENT_FLAGS,
  examples: ["forebay secrets rotate"],
  async run(args) {
    const { access, isJson } = parseManageCall(args, undefined);
    const answer = await callServer<RotatedAnswer>(access, "/v1/secrets/rotate", '{"resealed":', {});
    const { resealed, previousKeyRemoved } = answer;
    const next = previousKeyRemoved
      ? "The key before is gone from the key file."
      : "The previous key is needed no more: take it away, and start the servers again.";
    console.log(isJson ? JSON.stringify(answer) : `${resealed} secrets sealed by the newest key. ${next}`);
  },
};
