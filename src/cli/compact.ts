import { compactData } from "../data/offline-data.ts";
import { type Config, IN_MEMORY, loadConfig } from "../config/config.ts";
import type { Command, Flags } from "./command.ts";
import { CommandFault } from "./command-fault.ts";
import { parseWords } from "./parse-words.ts";

const FLAGS = {
  data: {
    type: "string",
    value: "<directory>",
    help: "the data directory; default: FOREBAY_DATA, else ./.forebay",
  },
} as const satisfies Flags;

const MB = 1_048_576;

/** Rewrites the database of a stopped server, so that the disk gets its unused space back. */
export const compact: Command = {
  about: `
Rewrites the database of a stopped server without the space that it no longer
uses. A large database that an earlier version created needs this once; after
that the server gives unused space back by itself. While it runs, twice the size
of the database must be free on the disk. Exit code 2 if that fails.
`,
  flags: FLAGS,
  examples: ["forebay compact --data ./.forebay"],
  async run(args) {
    const config = configOf(args);
    if (config.data === IN_MEMORY)
      throw new CommandFault("data in memory has no file. Name a directory: --data <directory>.");
    const { before, after } = await compactData(config);
    const size = (bytes: number): string => `${Math.ceil(bytes / MB)} MB`;
    console.log(`The database had ${size(before)} and has ${size(after)} now.`);
  },
};

function configOf(args: string[]): Config {
  const { values } = parseWords(args, FLAGS);
  return loadConfig(values.data === undefined ? {} : { data: values.data }, process.env);
}
