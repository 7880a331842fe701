import { statSync } from "node:fs";
import { extname, resolve } from "node:path";
import type { Command } from "./command.ts";
import { CommandFault } from "./command-fault.ts";
import { SCRIPTS } from "./dev/find-handler.ts";
import { parseWords } from "./parse-words.ts";
import { say } from "./worker/say.ts";

/** One of these variables tells a worker where to connect. */
const CONNECTIONS = ["FOREBAY_EXCHANGE_URL", "RUNPOD_WEBHOOK_GET_JOB"];

/** Runs a handler file as one worker, in production as under `forebay dev`. */
export const workerRun: Command = {
  words: "<file>",
  about: `
Runs a handler in TypeScript or JavaScript as a worker: the same file that
forebay dev serves. The worker connects with its environment. A server sets the
environment of workers that it starts, and forebay worker env prints it. A
project without @forebay/worker uses the copy in Forebay.
`,
  flags: {},
  examples: ["env $(cat worker.env) forebay worker run handler.ts"],
  async run(args) {
    const [name, ...more] = parseWords(args, {}).positionals;
    if (name === undefined || more.length > 0) throw new CommandFault("give one handler file.");
    const path = resolve(name);
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
      throw new CommandFault(`there is no file ${name}. Name the file of your handler.`);
    }
    if (!SCRIPTS.has(extname(path))) {
      throw new CommandFault(`${name} is not TypeScript or JavaScript. Run it with its own program.`);
    }
    if (!CONNECTIONS.some((variable) => process.env[variable])) {
      throw new CommandFault(
        "the environment has no server to connect to. Set the variables that forebay worker env prints.",
      );
    }
    // Loaded only when needed, because it loads the worker library.
    const { runFile } = await import("./dev/run-file.ts");
    await runFile(path, () => {
      say(`${name} has no handler. Export one, as default or as handler, or call start of @forebay/worker.`);
      process.exit(2);
    });
  },
};
