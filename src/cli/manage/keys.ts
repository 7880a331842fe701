import { CommandFault } from "../command-fault.ts";
import { callServer, deleteOnServer } from "../server-call.ts";
import { nameValues } from "../terminal/name-values.ts";
import { type Column, table } from "../terminal/table.ts";
import { widthOf } from "../terminal/width-of.ts";
import { durationOf } from "../worker/duration.ts";
import { givenKeyId, parseManageCall } from "./manage-call.ts";
import type { KeyRecord } from "./records.ts";

const TEXT = { type: "string" } as const;
const TEXTS = { type: "string", multiple: true } as const;

const COLUMNS: readonly Column<KeyRecord>[] = [
  { title: "ID", text: ({ id }) => id },
  { title: "NAME", text: ({ name }) => name },
  { title: "SCOPES", text: ({ scopes }) => scopes.join(",") },
  { title: "LAST USED", text: ({ lastUsedAt }) => lastUsedAt ?? "never" },
  { title: "ENDPOINTS", text: ({ endpoints }) => endpoints?.join(",") ?? "all" },
];

/** Lists the keys of an account. */
export async function listKeys(args: string[]): Promise<void> {
  const { access, isJson, text } = parseManageCall(args, undefined, { account: TEXT });
  const account = text("account");
  const query = account === undefined ? "" : `?account=${encodeURIComponent(account)}`;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the list answers just this
  const keys = (await callServer(access, `/v1/keys${query}`, "[")) as KeyRecord[];
  if (isJson) console.log(JSON.stringify(keys));
  else console.log(keys.length === 0 ? "no key" : table(keys, COLUMNS, widthOf(process.stdout)));
}

/** Makes a key, and prints it: the server does not keep it. */
export async function createKey(args: string[]): Promise<void> {
  const flags = { scope: TEXTS, endpoint: TEXTS, account: TEXT };
  const { access, isJson, word: name, text, texts } = parseManageCall(args, "name of the key", flags);
  const scopes = texts("scope");
  if (scopes === undefined)
    throw new CommandFault("say what it may do: --scope read, write, manage, admin or metrics.");
  const wish = { name, scopes, endpoints: texts("endpoint"), account: text("account") };
  printNew(await callServer(access, "/v1/keys", '{"id":', wish), isJson);
}

/** Gives a key a new text, and prints it. */
export async function rotateKey(args: string[]): Promise<void> {
  const call = parseManageCall(args, "id of the key", { overlap: TEXT });
  const overlap = call.text("overlap");
  const wish = overlap === undefined ? {} : { overlapMs: durationOf("--overlap", overlap) };
  const path = `/v1/keys/${givenKeyId(call)}/rotate`;
  printNew(await callServer(call.access, path, '{"id":', wish), call.isJson);
}

/** Ends a key. */
export async function revokeKey(args: string[]): Promise<void> {
  const call = parseManageCall(args, "id of the key");
  const id = givenKeyId(call);
  await deleteOnServer(call.access, `/v1/keys/${id}`);
  console.log(call.isJson ? JSON.stringify({ id, revoked: true }) : `${id} revoked`);
}

function printNew(answer: unknown, isJson: boolean): void {
  if (isJson) return console.log(JSON.stringify(answer));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- create and rotate answer just this
  const { key = "", id, account, name, scopes, endpoints, previousUntil } = answer as KeyRecord;
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
