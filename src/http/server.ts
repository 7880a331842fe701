import { ForebayError } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { Dialect } from "./call.ts";
import { errorReply } from "./error-reply.ts";
import type { Router } from "./router.ts";

export interface HttpServer {
  /** Where it listens, without a path. */
  readonly url: string;
  /**
   * Takes no new connection, and resolves when every open request has been answered, after `grace` ms at the
   * latest.
   */
  stop(grace: number): Promise<void>;
}

export interface HttpServerOptions {
  readonly host: string;
  readonly port: number;
  readonly router: Router;
  readonly log: Log;
}

/** Seconds that a connection may be still before its first request is whole: slow senders are cut. */
const IDLE_SECONDS = 10;

/**
 * Seconds that a connection may rest after an answer. A client that sends on a connection at the moment when
 * the server closes it loses the request, and the public worker SDK then drops its result: so the server is
 * never the first to close. That SDK keeps connections for 15 s, proxies commonly for 60 s (race R27).
 */
const KEEP_ALIVE_SECONDS = 75;

/** Larger bodies are cut by the runtime itself; every route has a lower limit of its own. */
const MAX_BODY = 64 * 1_048_576;

/**
 * The one file that listens. It makes a call of each request, and an answer of whatever its handler throws.
 */
export function serveHttp({ host, port, router, log }: HttpServerOptions): HttpServer {
  const server = Bun.serve({
    hostname: host,
    port,
    idleTimeout: IDLE_SECONDS,
    maxRequestBodySize: MAX_BODY,

    async fetch(request, server) {
      const allowSilence = (seconds: number): void => server.timeout(request, seconds);
      try {
        return await answer(router, request, allowSilence);
      } catch (error) {
        return errorReply(error, log);
      } finally {
        // It belongs to the connection and holds until the next request; so would an allowance.
        server.timeout(request, KEEP_ALIVE_SECONDS);
      }
    },
  });

  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${server.port}`,

    async stop(grace) {
      const answered = server.stop();
      const { promise: tooLate, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, grace);
      await Promise.race([answered, tooLate]);
      clearTimeout(timer);
      await server.stop(true);
    },
  };
}

const SDK_BASE = "/sdk/";

function answer(
  router: Router,
  request: Request,
  allowSilence: (seconds: number) => void,
): Response | Promise<Response> {
  refuseDoubledHost(request);
  const { path, query } = pathOf(request.url);
  const dialect: Dialect = path.startsWith(SDK_BASE) ? "sdk" : "spec";
  const { route, parameters } = router(
    request.method,
    dialect === "sdk" ? path.slice(SDK_BASE.length - 1) : path,
  );
  return route.handle({ request, parameters, query, dialect, allowSilence });
}

/** Cut out by hand: `new URL` throws on hosts that a request can have, and changes paths that it accepts. */
function pathOf(url: string): { path: string; query: string } {
  const start = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("//") + 2);
  const queryStart = url.indexOf("?", start);
  if (queryStart === -1) return { path: url.slice(start), query: "" };
  return { path: url.slice(start, queryStart), query: url.slice(queryStart + 1) };
}

function refuseDoubledHost(request: Request): void {
  if (request.headers.get("host")?.includes(",")) {
    throw new ForebayError("INVALID_HEADER", "The Host header is sent more than once.");
  }
}
