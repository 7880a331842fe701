import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { readBackup, restoreData } from "../data/offline-data.ts";
import { backupLines } from "./backup/save-backup.ts";
import type { Command, Flags } from "./command.ts";
import { CommandFault } from "./command-fault.ts";
import { dataConfig, KEY_FLAGS } from "./config-flags.ts";
import { parseWords } from "./parse-words.ts";

const FLAGS = {
  data: {
    type: "string",
    value: "<directory>",
    help: "a missing or empty directory; default: FOREBAY_DATA, else ./.forebay",
  },
  check: { type: "boolean", help: "only read the backup, and compare all checksums" },
  ...KEY_FLAGS,
} as const satisfies Flags;

const PIECE = 262_144;

/** Creates a data directory from a backup. */
export const restore: Command = {
  words: "<file | ->",
  about: `
Creates a data directory from a file of forebay backup or, for -, from the
standard input. The directory must be missing or empty. Forebay checks the
checksums, the database and the key before it creates the directory. The
restored server is independent: it never stops workers of the original. Exit
code 2 if the backup cannot be used; then nothing is changed.
`,
  flags: FLAGS,
  examples: [
    "forebay restore forebay.tar --data ./restored",
    "forebay restore forebay.tar --check",
    "aws s3 cp s3://backups/forebay.tar - | forebay restore - --data ./restored",
  ],
  async run(args) {
    const { values, positionals } = parseWords(args, FLAGS);
    const [file, surplus] = positionals;
    if (file === undefined || file === "") {
      throw new CommandFault("name the file of the backup, or - for the standard input.");
    }
    if (surplus !== undefined) {
      throw new CommandFault(`unexpected argument ${JSON.stringify(surplus)}. See --help.`);
    }
    const { check = false, ...settings } = values;
    const source = file === "-" ? process.stdin : await opened(file);
    if (check) {
      const manifest = await readBackup(source, async (_path, bytes) => {
        for await (const _ of bytes);
      });
      console.log(["The backup is complete.", ...backupLines(manifest)].join("\n"));
      return;
    }
    const config = dataConfig(settings);
    const manifest = await restoreData(config, source);
    const next = `Start it: forebay serve --data ${config.data}`;
    console.log([`Restored to ${resolve(config.data)}.`, ...backupLines(manifest), next].join("\n"));
  },
};

async function opened(path: string): Promise<AsyncIterable<Uint8Array>> {
  if ((await stat(path)).isDirectory()) {
    throw new CommandFault(`${path} is a directory. Name the file that forebay backup has written.`);
  }
  return createReadStream(path, { highWaterMark: PIECE });
}
