import type { Log } from "../domain/log.ts";
import type { Meters } from "../domain/meters.ts";
import { answerRequests } from "./answer-requests.ts";
import { Callers } from "./connections/callers.ts";
import { withCors } from "./connections/cors.ts";
import { ConnectionGuard, type ConnectionLimits } from "./connections/connection-guard.ts";
import { processSockets } from "./connections/sockets.ts";
import type { Router } from "./router.ts";

export interface HttpServer {
  /** The address that it listens on, without a path. */
  readonly url: string;
  /** Answers requests from now on. Before that each one gets 503. */
  open(router: Router): void;
  /**
   * Accepts no new connection. Resolves when every open request has been answered, after `grace` ms at the
   * latest.
   */
  stop(grace: number): Promise<void>;
}

export interface HttpServerOptions {
  readonly host: string;
  readonly port: number;
  readonly log: Log;
  readonly meters: Meters;
  /**
   * How long, roughly, a sender may pause before its small body is complete, ms. It limits senders only: once
   * the body is complete the answer may take as long as it needs. For the headers the runtime has a limit of
   * its own: 10 s, checked every 4 s.
   */
  readonly smallBodyTime: number;
  /**
   * How long a connection may be idle after an answer, ms. If the server closes it while the client sends,
   * the request is lost, and the public worker SDK then drops its result. So the client should be the first
   * to close: that SDK keeps connections for 15 s, proxies usually for 60 s (race R27).
   */
  readonly restTime: number;
  readonly connectionLimits: ConnectionLimits;
  /** Origins of pages that may call the API, with commas between them; `*`: all; empty: none. */
  readonly corsOrigins: string;
}

/** How often the connections are checked, ms. */
const LOOK_INTERVAL = 250;

/** The runtime cuts larger bodies; every route has a lower limit. */
const MAX_BODY = 64 * 1_048_576;

/** The only file that listens. Throws an error with the code EADDRINUSE if the port is in use. */
export function serveHttp(options: HttpServerOptions): HttpServer {
  const { host, port, log, meters } = options;
  const requests = answerRequests({ log, meters, rest: secondsOf(options.restTime) });
  const server = Bun.serve({
    hostname: host,
    port,
    idleTimeout: secondsOf(options.smallBodyTime),
    maxRequestBodySize: MAX_BODY,
    fetch: options.corsOrigins === "" ? requests.fetch : withCors(requests.fetch, options.corsOrigins),
  });

  const sockets = processSockets();
  let looking: NodeJS.Timeout | undefined;
  if (sockets !== undefined && server.port !== undefined) {
    const callers = new Callers((request) => server.requestIP(request));
    const limits = options.connectionLimits;
    const guard = new ConnectionGuard({ sockets, callers, limits, port: server.port, log });
    requests.noteCallers(callers);
    looking = setInterval(() => guard.look(performance.now()), LOOK_INTERVAL);
    looking.unref();
  }

  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${server.port}`,
    open: (router) => requests.open(router),

    async stop(grace) {
      const answered = server.stop();
      const { promise: tooLate, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, grace);
      await Promise.race([answered, tooLate]);
      clearTimeout(timer);
      clearInterval(looking);
      await server.stop(true);
    },
  };
}

/** The runtime counts whole seconds, at most 255. */
function secondsOf(ms: number): number {
  return Math.min(255, Math.ceil(ms / 1_000));
}
