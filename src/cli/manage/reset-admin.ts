import { type Config, loadConfig } from "../../config/config.ts";
import { requestAdminKey } from "../../data/request-admin-key.ts";
import type { Command, Flags } from "../command.ts";
import { CommandFault } from "../command-fault.ts";
import { parseWords } from "../parse-words.ts";
import { nameValues, printJson } from "../terminal/print.ts";
import { printMessage } from "../terminal/terminal-text.ts";

const FLAGS = {
  data: {
    type: "string",
    value: "<directory>",
    help: "the data directory of the server; default: FOREBAY_DATA, else ./.forebay",
  },
  json: { type: "boolean", help: "the answer as JSON, for programs" },
} as const satisfies Flags;

/** Creates an admin key on the server's machine, without an API key. */
export const resetAdmin: Command = {
  about: `
Creates a new admin key and prints it, if yours is lost. Run it on the machine
of the server, as its user or as root. It needs no key. A running server accepts
the new key within a second, a stopped one from its next start. It works the
same with SQLite and with PostgreSQL. All other keys stay valid, the lost one
too: forebay keys list shows it, forebay keys revoke ends it.
`,
  flags: FLAGS,
  examples: [
    "forebay keys reset-admin --data /var/lib/forebay",
    "docker exec forebay forebay keys reset-admin --data /data",
  ],
  async run(args) {
    const { values, positionals } = parseWords(args, FLAGS);
    const [surplus] = positionals;
    if (surplus !== undefined)
      throw new CommandFault(`unexpected argument ${JSON.stringify(surplus)}. See --help.`);
    const { id, text, isCreated } = await requested(values.data);
    if (values.json === true) return printJson({ id, key: text, isCreated });
    console.log(
      `${nameValues([
        ["key", text],
        ["id", id],
      ])}\nThe key is shown only now.`,
    );
    if (!isCreated)
      printMessage("No server reads the request now. The key works from the server's next start.");
  },
};

async function requested(data: string | undefined): ReturnType<typeof requestAdminKey> {
  try {
    const config: Config = loadConfig(data === undefined ? {} : { data }, process.env);
    return await requestAdminKey(config);
  } catch (error) {
    throw new CommandFault(error instanceof Error ? error.message : String(error));
  }
}
