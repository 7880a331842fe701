import type { OwnProgram } from "../host/own-program.ts";
import type { Command, ListedCommand } from "./command.ts";

const HELLO: Command = {
  about: "The example worker, which a server runs.",
  flags: {},
  examples: [],
  async run() {
    await import("../../examples/hello/worker.ts");
  },
};

const HANDLER: Command = {
  words: "<handler file>",
  about: "The worker that `forebay dev` runs for a handler in TypeScript or JavaScript.",
  flags: {},
  examples: [],
  async run([file = ""]) {
    // Loaded only when needed, because it loads the worker library.
    const { runFile } = await import("./dev/run-file.ts");
    await runFile(file, () => process.exit(NO_HANDLER));
  },
};

/** Programs that Forebay itself starts. The help does not list them. */
export const OWN_PROGRAMS: ReadonlyMap<string, ListedCommand> = new Map([
  row("worker:hello", HELLO),
  row("worker:handler", HANDLER),
]);

function row(name: OwnProgram, command: Command): [string, ListedCommand] {
  return [name, { summary: command.about, load: () => Promise.resolve(command) }];
}

/** The exit code of a file that neither exports a handler nor starts a worker: EX_CONFIG of sysexits(3). */
export const NO_HANDLER = 78;
