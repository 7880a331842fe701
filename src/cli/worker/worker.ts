import { start } from "@forebay/worker";
import type { Command } from "../command.ts";
import { CommandFault } from "../command-fault.ts";
import { exitOnFault } from "../exit-on-fault.ts";
import { serverAccess } from "../server-access.ts";
import { environmentFor } from "./admission.ts";
import { ExecWork } from "./exec/exec-work.ts";
import { HttpWork } from "./http/http-work.ts";
import { say } from "./say.ts";
import type { Work } from "./work.ts";
import { WORKER_ABOUT, WORKER_FLAGS } from "./worker-flags.ts";
import { type WorkerOptions, workerOptions } from "./worker-options.ts";

/** Runs the jobs of an endpoint as requests to a server or as processes, until it is told to stop. */
export const worker: Command = {
  words: "--endpoint <id or name>",
  about: WORKER_ABOUT,
  flags: WORKER_FLAGS,
  examples: [
    "forebay worker --endpoint chat --http http://127.0.0.1:8080/generate",
    "forebay worker --endpoint thumbs --create -- convert - -resize 200 png:-",
  ],
  async run(args) {
    exitOnFault((message, error) => say(`${message}: ${error}`));
    const options = workerOptions(args);
    const work = workOf(options);
    await work.check();
    Object.assign(process.env, await connection(options));
    await work.ready();
    try {
      await start({
        handler: work.handler,
        concurrency: options.concurrency,
        return_aggregate_stream: options.aggregates,
        ...(work.gate === undefined ? {} : { gate: work.gate }),
      });
    } catch (error) {
      // It rejects with a sentence: the environment is wrong, or the token is not known any more.
      throw new CommandFault(error instanceof Error ? error.message : String(error));
    } finally {
      await work.close();
    }
  },
};

function workOf({ work }: WorkerOptions): Work {
  return work.kind === "http" ? new HttpWork(work) : new ExecWork(work);
}

/** The variables by which the worker finds its endpoint, as far as the environment has none. */
async function connection({ endpoint, create, ...flags }: WorkerOptions): Promise<Record<string, string>> {
  const isConnected = ["FOREBAY_EXCHANGE_URL", "RUNPOD_WEBHOOK_GET_JOB"].some((name) => process.env[name]);
  if (isConnected) {
    if (endpoint !== undefined) say("connects with what is in the environment, not with --endpoint");
    return {};
  }
  if (endpoint === undefined) throw new CommandFault("say which endpoint: --endpoint <id or name>.");
  const access = serverAccess(flags);
  const environment = await environmentFor(access, endpoint, create);
  say(`takes the jobs of ${access.server}/v2/${environment["RUNPOD_ENDPOINT_ID"]}`);
  return environment;
}
