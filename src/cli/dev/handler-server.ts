import { type Config, loadConfig } from "../../config/config.ts";
import type { WorkerEvent } from "../../dev/fresh-worker.ts";
import { type DevServer, startDevServer } from "../../dev/start-dev-server.ts";
import { errorCode } from "../../domain/errors.ts";
import { withoutServerSecrets } from "../child-environment.ts";
import { CommandFault } from "../command-fault.ts";
import { takenPort } from "../port-holder.ts";
import { exitOnFault } from "../process-end.ts";
import type { HandlerFile } from "./find-handler.ts";
import { type Terminal, terminalLog } from "./terminal.ts";

interface HandlerServerOptions {
  readonly handler: HandlerFile;
  /** Undefined: the port of the environment, or 8000. */
  readonly port: string | undefined;
  readonly terminal: Terminal;
  readonly onWorker: (event: WorkerEvent) => void;
  readonly onJobQueued: (job: string) => void;
  readonly onJobStart: (job: string) => void;
  readonly onJobEnd: (job: string) => void;
}

/** After a fault, how long the worker has until it is killed, ms. */
const KILL_GRACE = 1_000;

/** Starts the server of a handler, with data in memory. Throws CommandFault. */
export async function handlerServer(options: HandlerServerOptions): Promise<DevServer> {
  const { handler, port, terminal, onWorker, onJobQueued, onJobStart, onJobEnd } = options;
  const config = devConfig(port, process.env);
  try {
    const server = await startDevServer({
      config,
      log: terminalLog(terminal),
      endpoint: handler.endpoint,
      command: handler.command,
      environment: environmentOf(process.env),
      onWorker,
      onJobQueued,
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

/** The user's environment. This terminal reports jobs itself, so the SDKs do not log them. */
function environmentOf(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    RUNPOD_DEBUG_LEVEL: "ERROR",
    RUNPOD_SKIP_GPU_CHECK: "true",
    FOREBAY_WORKER_QUIET: "true",
    ...withoutServerSecrets(own),
  };
}

/** While a receiver of webhooks is developed, it runs on this machine. */
const LOOPBACK = "127.0.0.0/8,::1";

/**
 * The configuration of `forebay dev`. Without a `port`, it is that of the environment, or 8000. Throws
 * CommandFault.
 */
export function devConfig(port: string | undefined, env: NodeJS.ProcessEnv): Config {
  const flags = { data: ":memory:", demo: "false", ...(port === undefined ? {} : { port }) };
  const allowed = env["FOREBAY_WEBHOOK_ALLOW"] ?? "";
  try {
    return loadConfig(flags, {
      // Nobody wants to wait long for an old worker.
      FOREBAY_DRAIN_GRACE_MS: "2000",
      ...env,
      FOREBAY_WEBHOOK_ALLOW: allowed.trim() === "" ? LOOPBACK : `${LOOPBACK},${allowed}`,
    });
  } catch (error) {
    throw new CommandFault(error instanceof Error ? error.message : String(error));
  }
}
