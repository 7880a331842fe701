import { parseArgs } from "node:util";
import { isId } from "../domain/ids.ts";
import { admitWorker } from "./admit-worker.ts";
import { CommandFault } from "./command-fault.ts";
import { serverAccess } from "./server-access.ts";

/** Admits a worker to an endpoint of a running server, and prints its environment as lines NAME=value. */
export async function workerEnv(args: string[]): Promise<void> {
  const { endpoint = "", many = false, ...server } = parse(args);
  if (!isId(endpoint)) throw new CommandFault("say which endpoint: --endpoint <id>.");
  const env = await admitWorker(serverAccess(server), endpoint, many);
  for (const [name, value] of Object.entries(env)) console.log(`${name}=${value}`);
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        endpoint: { type: "string" },
        server: { type: "string" },
        key: { type: "string" },
        many: { type: "boolean" },
      },
    }).values;
  } catch (error) {
    throw new CommandFault(error instanceof Error ? error.message : String(error));
  }
}
