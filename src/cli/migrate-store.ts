import type { Command, Flags } from "./command.ts";
import { type Config, IN_MEMORY, loadConfig } from "../config/config.ts";
import { migrateStore as migrate } from "../data/offline-data.ts";
import { CommandFault } from "./command-fault.ts";
import { KEY_FLAGS } from "./config-flags.ts";
import { OperatorFault } from "../domain/operator-fault.ts";
import { parseWords } from "./parse-words.ts";
import { ProgressLine } from "./terminal/progress-line.ts";
import { type Column, table } from "./terminal/print.ts";
import { widthOf } from "./terminal/terminal-text.ts";

type Counted = Awaited<ReturnType<typeof migrate>>[number];

const COLUMNS: readonly Column<Counted>[] = [
  { title: "ENDPOINT", text: ({ endpoint }) => endpoint },
  { title: "KIND", text: ({ kind }) => kind },
  { title: "FROM", text: ({ from }) => String(from) },
  { title: "TO", text: ({ to }) => String(to) },
];

const FLAGS = {
  from: {
    type: "string",
    value: "<directory>",
    help: "the data directory; default: FOREBAY_DATA, else ./.forebay",
  },
  to: {
    type: "string",
    value: "<database>",
    help: "postgres://user:password@host:5432/database; default: FOREBAY_DATABASE_URL",
  },
  ...KEY_FLAGS,
} as const satisfies Flags;

/** Copies a data directory into PostgreSQL, and prints the counts of both. */
export const migrateStore: Command = {
  about: `
Copies all data of a stopped server to a PostgreSQL without data of Forebay,
compares the numbers of records, and marks the directory as moved. It copies
everything or nothing. Exit code 2 if that fails.
`,
  flags: FLAGS,
  examples: ["forebay migrate-store --from ./.forebay --to postgres://forebay@db/forebay"],
  async run(args) {
    const config = configOf(args);
    if (config.databaseUrl === "")
      throw new CommandFault("name the database: --to postgres://user@host/database.");
    if (config.data === IN_MEMORY)
      throw new CommandFault("data in memory cannot be moved. Name a directory: --from <directory>.");
    const line = new ProgressLine();
    try {
      line.write("opening both");
      const counted = await migrate(config, (copied, all) => line.write(`copied ${copied} of ${all}`));
      line.clear();
      console.log(table(counted, COLUMNS, widthOf(process.stdout)));
      console.log("All data is copied. Start the servers with FOREBAY_DATABASE_URL and the same secret key.");
    } finally {
      line.clear();
    }
  },
};

/** The same settings as the server's. */
function configOf(args: string[]): Config {
  const { from, to, ...others } = parseWords(args, FLAGS).values;
  try {
    const flags = Object.entries({ data: from, "database-url": to, ...others });
    const given = flags.filter((entry): entry is [string, string] => entry[1] !== undefined);
    return loadConfig(Object.fromEntries(given), process.env);
  } catch (error) {
    if (!(error instanceof OperatorFault)) throw error;
    throw new CommandFault(error.message.replace("--data:", "--from:").replace("--database-url:", "--to:"));
  }
}
