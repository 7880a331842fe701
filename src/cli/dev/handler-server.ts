import { errorCode } from "../../domain/errors.ts";
import type { WorkerEvent } from "../../dev/fresh-worker.ts";
import { type DevServer, startDevServer } from "../../dev/start-dev-server.ts";
import { CommandFault } from "../command-fault.ts";
import { exitOnFault } from "../exit-on-fault.ts";
import { withoutServerSecrets } from "../server-secrets.ts";
import { takenPort } from "../taken-port.ts";
import { devConfig } from "./dev-config.ts";
import type { HandlerFile } from "./find-handler.ts";
import { terminalLog } from "./terminal-log.ts";
import type { Terminal } from "./terminal.ts";

export interface HandlerServerOptions {
  readonly handler: HandlerFile;
  /** Undefined: what the environment says, or 8000. */
  readonly port: string | undefined;
  readonly terminal: Terminal;
  readonly onWorker: (event: WorkerEvent) => void;
  readonly onJobStart: (job: string) => void;
  readonly onJobEnd: (job: string) => void;
}

/** After a fault the worker has so long to be killed, ms. */
const KILL_GRACE = 1_000;

/** Starts the server of a handler, its data in memory. Throws CommandFault. */
export async function handlerServer(options: HandlerServerOptions): Promise<DevServer> {
  const { handler, port, terminal, onWorker, onJobStart, onJobEnd } = options;
  const config = devConfig(port, process.env);
  try {
    const server = await startDevServer({
      config,
      log: terminalLog(terminal),
      endpoint: handler.endpoint,
      command: handler.command,
      environment: environmentOf(process.env),
      onWorker,
      onJobStart,
      onJobEnd,
    });
    exitOnFault((message, error) => {
      server.kill();
      void server.stop();
      process.stderr.write(`forebay dev: ${message}: ${error}\n`);
    }, KILL_GRACE);
    return server;
  } catch (error) {
    if (errorCode(error) !== "EADDRINUSE") throw error;
    throw new CommandFault(takenPort(config.port));
  }
}

/** The user's own environment; what both SDKs would say of each job is told by this terminal. */
function environmentOf(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    RUNPOD_DEBUG_LEVEL: "ERROR",
    RUNPOD_SKIP_GPU_CHECK: "true",
    FOREBAY_WORKER_QUIET: "true",
    ...withoutServerSecrets(own),
  };
}
