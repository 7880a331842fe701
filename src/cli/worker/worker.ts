import { start } from "@forebay/worker";
import type { Command } from "../command.ts";
import { CommandFault } from "../command-fault.ts";
import { exitOnFault } from "../process-end.ts";
import { serverAccess } from "../server-call.ts";
import { environmentFor, onlyEndpoint } from "./admission.ts";
import { ExecWork } from "./exec/exec-work.ts";
import { HttpWork } from "./http/http-work.ts";
import { runProgram } from "./run-program.ts";
import { say } from "./say.ts";
import type { Work } from "./work.ts";
import { WORKER_ABOUT, WORKER_FLAGS } from "./worker-flags.ts";
import { type WorkerOptions, workerOptions } from "./worker-options.ts";

/** Runs the jobs of an endpoint until a signal stops it. */
export const worker: Command = {
  words: "[-- <program> ...]",
  about: WORKER_ABOUT,
  flags: WORKER_FLAGS,
  examples: [
    "forebay worker -- python3 handler.py",
    "forebay worker --endpoint chat --http http://127.0.0.1:8080/generate",
    "forebay worker --endpoint thumbs --create -- convert - -resize 200 png:-",
  ],
  async run(args) {
    exitOnFault((message, error) => say(`${message}: ${error}`));
    const options = workerOptions(args);
    const { work } = options;
    if (work.kind === "program") {
      const { words, because } = work;
      const environment = await connection(options);
      say(`runs ${words.join(" ")} as a worker, for ${because}`);
      process.exit(await runProgram(words, environment));
    }
    await runJobs(options, work.kind === "http" ? new HttpWork(work) : new ExecWork(work));
  },
};

/** Takes jobs, and runs each as `work` says. */
async function runJobs(options: WorkerOptions, work: Work): Promise<void> {
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
    // It rejects with a sentence: the environment is wrong, or the token is unknown.
    throw new CommandFault(error instanceof Error ? error.message : String(error));
  } finally {
    await work.close();
  }
}

/** The variables that connect the worker to its endpoint, if the environment lacks them. */
async function connection({ endpoint, create, ...flags }: WorkerOptions): Promise<Record<string, string>> {
  const isConnected = ["FOREBAY_EXCHANGE_URL", "RUNPOD_WEBHOOK_GET_JOB"].some((name) => process.env[name]);
  if (isConnected) {
    if (endpoint !== undefined) say("connects with what is in the environment, not with --endpoint");
    return {};
  }
  const access = serverAccess(flags);
  const environment = await environmentFor(access, endpoint ?? (await onlyEndpoint(access)), create);
  say(`takes the jobs of ${access.server}/v2/${environment["RUNPOD_ENDPOINT_ID"]}`);
  return environment;
}
