import type { Config } from "../config/config.ts";
import type { Clock } from "../domain/clock.ts";
import type { Log } from "../domain/log.ts";
import { createCommandEndpoint } from "../engine/records/endpoints.ts";
import { startForebay } from "../main.ts";
import { FreshWorker, type WorkerEvent } from "./fresh-worker.ts";

interface DevServerOptions {
  readonly config: Config;
  readonly log: Log;
  /** Id and name of the endpoint that it creates. */
  readonly endpoint: string;
  /** What the worker runs, program first, in the working directory of this process. */
  readonly command: readonly string[];
  /** The environment of the worker. The variables that connect it to the server are added. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly onWorker: (event: WorkerEvent) => void;
  /** Called with the id of each job that was put into the queue. */
  readonly onJobQueued: (job: string) => void;
  /** Called with the id of each job that a worker got. */
  readonly onJobStart: (job: string) => void;
  /** Called with the id of each job that has ended. */
  readonly onJobEnd: (job: string) => void;
}

/** A server with one endpoint, and one worker behind it that can be replaced at any time. */
export interface DevServer {
  /** Where it listens. */
  readonly url: string;
  /** An admin key. */
  readonly key: string;
  readonly clock: Clock;
  /** Starts the command again. The new worker gets what the old one does not finish within its grace. */
  reload(): void;
  /** Kills the worker, at once. */
  kill(): void;
  /** Ends the worker and the server. */
  stop(): Promise<void>;
}

/** The steps that end a job. */
const ENDS: ReadonlySet<string> = new Set([
  "complete",
  "completeLate",
  "fail",
  "timeOut",
  "cancel",
  "giveUp",
  "cutOff",
]);

export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  const { config, log, endpoint, command, environment, onWorker, onJobQueued, onJobStart, onJobEnd } =
    options;
  const worker = new FreshWorker(endpoint, onWorker);
  const processes = {
    commands: new Map([[endpoint, command]]),
    operatorEnvironment: environment,
    passedOn: Object.keys(environment),
    workingDirectory: process.cwd(),
  };
  const onOutput = (line: string): void => log.info("worker output", { line });
  const scaling = worker.job.bind(worker);
  const forebay = await startForebay(config, log, undefined, { processes, scaling, onOutput });
  const { engine, url, firstKey } = forebay;
  engine.observers.add((signal) => {
    if (signal.endpoint !== endpoint) return;
    if (signal.event === "enqueue") onJobQueued(signal.id);
    if (signal.event === "take") onJobStart(signal.id);
    if (ENDS.has(signal.event)) onJobEnd(signal.id);
  });
  await createCommandEndpoint(engine, endpoint);
  return {
    url,
    key: firstKey ?? config.adminKey,
    clock: engine.clock,
    reload: () => worker.reload(),
    kill: () => worker.kill(),
    stop: forebay.stop,
  };
}
