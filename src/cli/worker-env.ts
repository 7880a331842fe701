import { type Command, type Flags, SERVER_FLAGS } from "./command.ts";
import { isId } from "../domain/ids.ts";
import { admitWorker } from "./admit-worker.ts";
import { CommandFault } from "./command-fault.ts";
import { parseWords } from "./parse-words.ts";
import { serverAccess } from "./server-access.ts";

const FLAGS = {
  endpoint: { type: "string", value: "<id>", help: "the endpoint" },
  many: { type: "boolean", help: "an environment for any number of workers" },
  ...SERVER_FLAGS,
} as const satisfies Flags;

/** Admits a worker to an endpoint of a running server, and prints its environment as lines NAME=value. */
export const workerEnv: Command = {
  about: `
Admits a worker to the endpoint, and prints the environment with which it
connects.
`,
  flags: FLAGS,
  examples: ["forebay worker env --endpoint hello > worker.env"],
  async run(args) {
    const { endpoint = "", many = false, ...server } = parseWords(args, FLAGS).values;
    if (!isId(endpoint)) throw new CommandFault("say which endpoint: --endpoint <id>.");
    const env = await admitWorker(serverAccess(server), endpoint, many);
    for (const [name, value] of Object.entries(env)) console.log(`${name}=${value}`);
  },
};
