import type { KeyAnswer, NewKeyAnswer } from "../../http/answers/key.ts";
import { CommandFault } from "../command-fault.ts";
import { CLIENT_FLAGS, type Command, type Flags } from "../command.ts";
import { callServer, listAll, callWithoutAnswer } from "../server-call.ts";
import { type Column, nameValues, table } from "../terminal/print.ts";
import { widthOf } from "../terminal/terminal-text.ts";
import { durationOf } from "../duration-of.ts";
import { givenKeyId, parseManageCall } from "./manage-call.ts";

const LIST_FLAGS = {
  account: { type: "string", value: "<account>", help: "the id or name of the account; default: your own" },
} as const satisfies Flags;

const CREATE_FLAGS = {
  scope: {
    type: "string",
    multiple: true,
    value: "<scope>",
    help: "read, write, manage or admin, each with those before it, or metrics. Repeatable",
  },
  endpoint: {
    type: "string",
    multiple: true,
    value: "<endpoint>",
    help: "the id or name of the only endpoint that it opens. Repeatable",
  },
  account: { type: "string", value: "<account>", help: "the id or name of its account; default: your own" },
} as const satisfies Flags;

const ROTATE_FLAGS = {
  overlap: {
    type: "string",
    value: "<time>",
    help: "how long the old key stays valid, such as 60s, 5m or 1h; default: 24h",
  },
} as const satisfies Flags;

const COLUMNS: readonly Column<KeyAnswer>[] = [
  { title: "ID", text: ({ id }) => id },
  { title: "NAME", text: ({ name }) => name },
  { title: "SCOPES", text: ({ scopes }) => scopes.join(",") },
  { title: "LAST USED", text: ({ lastUsedAt }) => lastUsedAt ?? "never" },
  { title: "ENDPOINTS", text: ({ endpoints }) => endpoints?.join(",") ?? "all" },
];

/** Lists the keys of an account. */
export const listKeys: Command = {
  about: `
Lists the keys of an account, and when each was last used.
`,
  flags: { ...LIST_FLAGS, ...CLIENT_FLAGS },
  examples: ["forebay keys list"],
  async run(args) {
    const { access, isJson, text } = parseManageCall(args, undefined, LIST_FLAGS);
    const account = text("account");
    const query = account === undefined ? "" : `?account=${encodeURIComponent(account)}`;
    const keys = await listAll(access, `/v1/keys${query}`, "keys");
    if (isJson) console.log(JSON.stringify(keys));
    else console.log(keys.length === 0 ? "no key" : table(keys, COLUMNS, widthOf(process.stdout)));
  },
};

/** Creates a key, and prints it: the server does not store it. */
export const createKey: Command = {
  words: "<name>",
  about: `
Creates a key and prints it: the server does not store it. --scope is required.
`,
  flags: { ...CREATE_FLAGS, ...CLIENT_FLAGS },
  examples: [
    "forebay keys create app --scope write --endpoint hello",
    "forebay keys create lead --scope manage --account vision",
  ],
  async run(args) {
    const {
      access,
      isJson,
      word: name,
      text,
      texts,
    } = parseManageCall(args, "name of the key", CREATE_FLAGS);
    const scopes = texts("scope");
    if (scopes === undefined)
      throw new CommandFault("give the key a scope: --scope read, write, manage, admin or metrics.");
    const body = { name, scopes, endpoints: texts("endpoint"), account: text("account") };
    printNew(await callServer(access, "/v1/keys", '{"id":', body), isJson);
  },
};

/** Rotates a key, and prints the new one. */
export const rotateKey: Command = {
  words: "<key id>",
  about: `
Replaces the secret of a key, and prints the new one.
`,
  flags: { ...ROTATE_FLAGS, ...CLIENT_FLAGS },
  examples: ["forebay keys rotate $ID --overlap 1h"],
  async run(args) {
    const call = parseManageCall(args, "id of the key", ROTATE_FLAGS);
    const overlap = call.text("overlap");
    const body = overlap === undefined ? {} : { overlapMs: durationOf("--overlap", overlap) };
    const path = `/v1/keys/${givenKeyId(call)}/rotate`;
    printNew(await callServer(call.access, path, '{"id":', body), call.isJson);
  },
};

/** Revokes a key. */
export const revokeKey: Command = {
  words: "<key id>",
  about: `
Revokes a key. Open calls with it end too; jobs continue.
`,
  flags: CLIENT_FLAGS,
  examples: ["forebay keys revoke $ID"],
  async run(args) {
    const call = parseManageCall(args, "id of the key");
    const id = givenKeyId(call);
    await callWithoutAnswer(call.access, `/v1/keys/${id}`, "DELETE");
    console.log(call.isJson ? JSON.stringify({ id, revoked: true }) : `${id} revoked`);
  },
};

function printNew(answer: NewKeyAnswer, isJson: boolean): void {
  if (isJson) return console.log(JSON.stringify(answer));
  const { key, id, account, name, scopes, endpoints, previousUntil } = answer;
  const rows = {
    key,
    id,
    account,
    name,
    scopes: scopes.join(","),
    ...(endpoints === undefined ? {} : { endpoints: endpoints.join(",") }),
    ...(previousUntil === undefined ? {} : { "before until": previousUntil }),
  };
  console.log(`${nameValues(Object.entries(rows))}\nThe key is shown only now.`);
}
