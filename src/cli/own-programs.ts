import type { OwnProgram } from "../own-program.ts";
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
    // Loaded here: it brings the worker library along.
    const { runFile } = await import("./dev/run-file.ts");
    await runFile(file, () => process.exit(NO_HANDLER));
  },
};

/** What Forebay itself calls, and no help lists. */
export const OWN_PROGRAMS: ReadonlyMap<string, ListedCommand> = new Map([
  row("worker:hello", HELLO),
  row("worker:handler", HANDLER),
]);

function row(name: OwnProgram, command: Command): [string, ListedCommand] {
  return [name, { summary: command.about, load: () => Promise.resolve(command) }];
}

/** Exit code where a file neither exports a handler nor starts a worker: EX_CONFIG of sysexits(3). */
export const NO_HANDLER = 78;
