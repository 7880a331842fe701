import type { RegistryLoginAnswer } from "../../http/answers/template.ts";
import { CLIENT_FLAGS, type Command, type Flags } from "../command.ts";
import { CommandFault } from "../command-fault.ts";
import { checkedId, parseManageCall } from "../manage/manage-call.ts";
import { readSecret } from "../read-secret.ts";
import { callServer, callWithoutAnswer } from "../server-call.ts";
import { type Column, printJson, printRecord, printTable } from "../terminal/print.ts";

const COLUMNS: readonly Column<RegistryLoginAnswer>[] = [
  { title: "ID", text: ({ id }) => id },
  { title: "NAME", text: ({ name }) => name },
];

const CREATE_FLAGS = {
  username: { type: "string", value: "<name>", help: "the username at the registry" },
} as const satisfies Flags;

const PATH = "/v1/containerregistryauth";
const ID = "id of the registry login";

/** Lists the registry logins of the account. */
export const listRegistryLogins: Command = {
  about: "Lists the registry logins of the account, without their usernames and passwords.",
  flags: CLIENT_FLAGS,
  examples: ["forebay registry-logins list"],
  async run(args) {
    const { access, isJson } = parseManageCall(args, undefined);
    const logins = await callServer<RegistryLoginAnswer[]>(access, PATH, "[");
    printTable(isJson, logins, logins, COLUMNS, "no registry login");
  },
};

/** Prints a registry login. */
export const showRegistryLogin: Command = {
  words: "<registry login>",
  about: "Prints the id and name of a registry login. You cannot read its password again.",
  flags: CLIENT_FLAGS,
  examples: ["forebay registry-logins show $ID"],
  async run(args) {
    const { access, isJson, word } = parseManageCall(args, ID);
    const login = await callServer<RegistryLoginAnswer>(access, `${PATH}/${idOf(word)}`, '{"id":');
    printRecord(isJson, login, { ...login });
  },
};

/** Creates a registry login. Its password comes from a prompt or the standard input. */
export const createRegistryLogin: Command = {
  words: "<name> --username <name>",
  about: `
Creates a login to pull private images. Use it with forebay templates update
--registry-login <id>. In a terminal it asks for the password; otherwise it
reads it from the standard input. There is no flag for it: others on the
machine can see command lines, and the shell keeps them in its history.
`,
  flags: { ...CREATE_FLAGS, ...CLIENT_FLAGS },
  examples: [
    "forebay registry-logins create ghcr --username team-bot",
    'echo "$TOKEN" | forebay registry-logins create ghcr --username team-bot',
  ],
  async run(args) {
    const call = parseManageCall(args, "name of the registry login", CREATE_FLAGS);
    const username = call.text("username");
    if (username === undefined) throw new CommandFault("name the user: --username <name>.");
    const password = await readSecret("Password: ");
    if (password === "") throw new CommandFault("the password is empty. Enter one.");
    const body = { name: call.word, username, password };
    const login = await callServer<RegistryLoginAnswer>(call.access, PATH, '{"id":', body);
    printRecord(call.isJson, login, { ...login });
  },
};

/** Deletes a registry login. */
export const deleteRegistryLogin: Command = {
  words: "<registry login>",
  about: "Deletes a registry login. You cannot delete one that a template uses.",
  flags: CLIENT_FLAGS,
  examples: ["forebay registry-logins delete $ID"],
  async run(args) {
    const { access, isJson, word } = parseManageCall(args, ID);
    await callWithoutAnswer(access, `${PATH}/${idOf(word)}`, "DELETE");
    if (isJson) printJson({ id: word, deleted: true });
    else console.log(`${word} deleted`);
  },
};

function idOf(word: string): string {
  return checkedId("a registry login", word, "forebay registry-logins list shows them.");
}
