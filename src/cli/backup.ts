import { backUpData } from "../data/offline-data.ts";
import { errorCode } from "../domain/errors.ts";
import { IN_MEMORY } from "../config/config.ts";
import { backupLines, type BackupSink, saveBackup } from "./backup/save-backup.ts";
import { fileSink } from "./backup/file-sink.ts";
import { type Command, type Flags, SERVER_FLAGS } from "./command.ts";
import { CommandFault } from "./command-fault.ts";
import { dataConfig, KEY_FLAGS } from "./config-flags.ts";
import { parseWords } from "./parse-words.ts";
import { openOnServer, serverAccess } from "./server-call.ts";
import { ProgressLine } from "./terminal/progress-line.ts";
import { printMessage } from "./terminal/terminal-text.ts";

const FLAGS = {
  data: {
    type: "string",
    value: "<directory>",
    help: "back up this data directory, whose server is stopped, instead of a running server",
  },
  ...SERVER_FLAGS,
  ...KEY_FLAGS,
} as const satisfies Flags;

/** Writes a backup of a server, or of a data directory, to a file or the standard output. */
export const backup: Command = {
  words: "<file | ->",
  about: `
Backs up all jobs, payloads and settings of a running server into one tar file,
and checks it. The server goes on meanwhile. It requires a key with the scope
admin. With --data it backs up the data directory of a stopped server instead.
For -, it writes to the standard output. An existing file is replaced once the
new backup is whole. Exit code 1 when payloads were damaged already, 2 when
there is no backup.

THE KEY FILE IS NOT IN THE BACKUP: keep a copy of it elsewhere.
`,
  flags: FLAGS,
  examples: [
    "forebay backup forebay.tar",
    "forebay backup forebay.tar --data ./.forebay",
    "forebay backup - | aws s3 cp - s3://backups/forebay.tar",
  ],
  async run(args) {
    const { values, positionals } = parseWords(args, FLAGS);
    const [target, surplus] = positionals;
    if (target === undefined || target === "") {
      throw new CommandFault("name the file of the backup, or - for the standard output.");
    }
    if (surplus !== undefined) {
      throw new CommandFault(`unexpected argument ${JSON.stringify(surplus)}. See --help.`);
    }
    const line = new ProgressLine();
    try {
      const sink = target === "-" ? standardOutput() : await fileSink(target);
      const open = () => sourceOf(values);
      const saved = await saveBackup(open, sink, (bytes) => line.write("backing up", `  ${sizeText(bytes)}`));
      line.clear();
      printMessage([`Backed up to ${target}.`, ...backupLines(saved)].join("\n"));
      if (saved.damaged.length > 0) process.exitCode = 1;
    } finally {
      line.clear();
    }
  },
};

type Values = ReturnType<typeof parseWords<typeof FLAGS>>["values"];

async function sourceOf({ server, key, ...values }: Values): Promise<AsyncIterable<Uint8Array>> {
  if (values.data === undefined) {
    return openOnServer(serverAccess({ server, key }), { path: "/v1/backup", body: "{}" });
  }
  const config = dataConfig(values);
  if (config.data === IN_MEMORY)
    throw new CommandFault("data in memory has no file. Name a directory: --data <directory>.");
  return backUpData(config);
}

function standardOutput(): BackupSink {
  if (process.stdout.isTTY) {
    throw new CommandFault(
      "a backup cannot be shown in a terminal. Name a file, or pipe it to another program.",
    );
  }
  // The callback of the write reports the error too.
  process.stdout.on("error", () => undefined);
  return { write: printBytes, keep: async () => undefined, discard: async () => undefined };
}

/** Resolves when the program that reads the output has room for more. */
async function printBytes(piece: Uint8Array): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      process.stdout.write(piece, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
  } catch (error) {
    if (errorCode(error) !== "EPIPE") throw error;
    throw new CommandFault("the program that reads the backup ended early, so the backup is incomplete.");
  }
}

const MB = 1_048_576;

function sizeText(bytes: number): string {
  return `${Math.round(bytes / MB)} MB`;
}
