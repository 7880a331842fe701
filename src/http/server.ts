import { ForebayError } from "../domain/errors.ts";
import { observe } from "../domain/histogram.ts";
import type { Log } from "../domain/log.ts";
import { FINE, type Meters, requestMeter } from "../domain/meters.ts";
import { announcedLength } from "./announced-length.ts";
import type { Call, Dialect } from "./call.ts";
import { connectionGuard, type ConnectionLimits } from "./connections/connection-guard.ts";
import { processSockets } from "./connections/sockets.ts";
import { RateLimited } from "./limits/rate-limited.ts";
import { errorReply, errorText } from "./error-reply.ts";
import { isOpenAiPath, openAiErrorText } from "./openai/openai-error.ts";
import type { Route } from "./route.ts";
import { requestIdOf, requestLog, withRequestId } from "./request-id.ts";
import { startingRouter } from "./operate/starting.ts";
import type { Router } from "./router.ts";

export interface HttpServer {
  /** Where it listens, without a path. */
  readonly url: string;
  /** Answers requests from now on. Before that each one gets 503. */
  open(opened: Opened): void;
  /**
   * Takes no new connection, and resolves when every open request has been answered, after `grace` ms at the
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
   * How long a sender may pause, or nearly so, before its small body is complete, ms. It limits senders only:
   * once the body is complete the answer may take as long as it needs. For the header the runtime has a limit
   * of its own: 10 s, checked every 4 s.
   */
  readonly smallBodyTime: number;
  /**
   * How long a connection may rest after an answer, ms. A client that sends on a connection at the moment
   * when the server closes it loses the request, and the public worker SDK then drops its result: so the
   * server is not to be the first to close. That SDK keeps connections for 15 s, proxies commonly for 60 s
   * (race R27).
   */
  readonly restTime: number;
  readonly connectionLimits: ConnectionLimits;
}

/** What a server needs to answer. */
export interface Opened {
  readonly router: Router;
  /** Whether the request has shown a valid key. */
  readonly hasKey: (request: Request) => boolean;
}

/** The port is bound before the data is opened: no key can be checked yet. */
const STARTING: Opened = { router: startingRouter, hasKey: () => false };

/** How often the number of connections is looked at, ms. */
const LOOK_INTERVAL = 250;

/** Larger bodies are cut by the runtime itself; every route has a lower limit of its own. */
const MAX_BODY = 64 * 1_048_576;

/**
 * The one file that listens. It makes a call of each request, and an answer of whatever its handler throws.
 * Throws an error with the code EADDRINUSE when the port is taken.
 */
export function serveHttp(options: HttpServerOptions): HttpServer {
  const { host, port, log, meters } = options;
  let opened = STARTING;
  const restSeconds = secondsOf(options.restTime);
  const server = Bun.serve({
    hostname: host,
    port,
    idleTimeout: secondsOf(options.smallBodyTime),
    maxRequestBodySize: MAX_BODY,

    async fetch(request, server) {
      const allowSilence = (seconds: number): void => server.timeout(request, seconds);
      // It belongs to the connection and holds until the next request; so would an allowance.
      const rest = (): void => server.timeout(request, restSeconds);
      const cameAt = performance.now();
      guard?.began(request);
      const requestId = requestIdOf(request);
      // Nothing more comes from the client, so only the server itself can be slow from here on. Where a body
      // is announced, the runtime does the same as soon as the last byte has arrived.
      if (!hasBody(request)) allowSilence(0);
      let template = "";
      let call: Call | undefined;
      let status = 500;
      try {
        const { route, ...matched } = match(opened.router, request);
        template = route.path;
        call = { request, requestId, allowSilence, ...matched };
        const response = await route.handle(call);
        ({ status } = response);
        return withRequestId(response, requestId);
      } catch (error) {
        countLimit(meters, error);
        const { path } = pathOf(request.url);
        const response = errorReply(
          error,
          requestLog(log, requestId),
          isOpenAiPath(path) ? openAiErrorText : errorText,
        );
        ({ status } = response);
        return withRequestId(response, requestId);
      } finally {
        countAnswer(meters, template, status, performance.now() - cameAt);
        if (call?.answered === undefined) {
          guard?.ended(request);
          rest();
        } else {
          const reader = call.isLive ? 1 : 0;
          meters.liveReaders += reader;
          void call.answered.then(() => {
            meters.liveReaders -= reader;
            guard?.ended(request);
            return rest();
          });
        }
      }
    },
  });

  const sockets = processSockets();
  const guard =
    sockets === undefined || server.port === undefined
      ? undefined
      : connectionGuard({
          sockets,
          limits: options.connectionLimits,
          port: server.port,
          addressOf: (request) => server.requestIP(request),
          hasKey: (request) => opened.hasKey(request),
          log,
        });
  const looking = setInterval(() => guard?.look(performance.now()), LOOK_INTERVAL);
  looking.unref();

  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${server.port}`,

    open(given) {
      opened = given;
    },

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

/** Whether the request announces a body that can still be on its way. */
function hasBody({ headers }: Request): boolean {
  const length = headers.get("content-length");
  return length === null ? headers.has("transfer-encoding") : length !== "0";
}

/** The runtime counts whole seconds, at most 255. */
function secondsOf(ms: number): number {
  return Math.min(255, Math.ceil(ms / 1_000));
}

/** All that a request costs for the metrics. */
export function countAnswer(meters: Meters, template: string, status: number, took: number): void {
  const meter = requestMeter(meters, template);
  const index = Math.floor(status / 100);
  meter.classes[index] = (meter.classes[index] ?? 0) + 1;
  observe(meter.durations, took * FINE);
}

function countLimit({ limits }: Meters, error: unknown): void {
  if (!(error instanceof ForebayError)) return;
  const key =
    error instanceof RateLimited
      ? `${error.operation} ${error.code === "RATE_LIMITED" ? "requests" : "concurrent"}`
      : error.code === "QUEUE_FULL"
        ? "submit queue"
        : undefined;
  if (key !== undefined) limits.set(key, (limits.get(key) ?? 0) + 1);
}

const SDK_BASE = "/sdk/";

/** The route that the request is for, and what its path says. */
function match(
  router: Router,
  request: Request,
): Pick<Call, "parameters" | "query" | "dialect"> & { readonly route: Route } {
  refuseDoubledHost(request);
  // Refused on every path, also on those that read no body: a proxy in front may understand it differently.
  announcedLength(request);
  const { path, query } = pathOf(request.url);
  const dialect: Dialect = path.startsWith(SDK_BASE) ? "sdk" : "spec";
  const { route, parameters } = router(
    request.method,
    dialect === "sdk" ? path.slice(SDK_BASE.length - 1) : path,
  );
  return { route, parameters, query, dialect };
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
