import { ForebayError } from "../domain/errors.ts";
import { observe } from "../domain/histogram.ts";
import type { Log } from "../domain/log.ts";
import { FINE, type Meters, requestMeter } from "../domain/meters.ts";
import { announcedLength } from "./body-headers.ts";
import { type Call, type Dialect, REQUEST_ID, requestIdOf, requestLog } from "./call.ts";
import { connectionGuard, type ConnectionLimits } from "./connections/connection-guard.ts";
import { processSockets } from "./connections/sockets.ts";
import { RateLimited } from "./errors-with-headers.ts";
import { errorReply, errorText } from "./error-reply.ts";
import { isOpenAiPath, openAiErrorText } from "./openai/openai-error.ts";
import { type Reply, responseTo } from "./reply.ts";
import { startingRouter } from "./operate/starting.ts";
import type { Route, Router } from "./router.ts";

export interface HttpServer {
  /** Where it listens, without a path. */
  readonly url: string;
  /** Answers requests from now on. Before that each one gets 503. */
  open(router: Router): void;
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
  // The port is bound before the data is opened: no key can be checked yet.
  let router = startingRouter;
  const restSeconds = secondsOf(options.restTime);
  const server = Bun.serve({
    hostname: host,
    port,
    idleTimeout: secondsOf(options.smallBodyTime),
    maxRequestBodySize: MAX_BODY,

    async fetch(request, server) {
      const cameAt = performance.now();
      const call = new ServedCall(request, server);
      guard?.began(call);
      let template = "";
      let reply: Reply;
      let response: Response;
      try {
        const route = call.find(router);
        template = route.path;
        reply = await route.handle(call);
        response = responseTo(call, reply);
      } catch (error) {
        countLimit(meters, error);
        const textOf = isOpenAiPath(pathOf(request.url).path) ? openAiErrorText : errorText;
        reply = errorReply(error, requestLog(log, call.requestId), textOf);
        response = responseTo(call, reply);
      }
      countAnswer(meters, template, reply.status, performance.now() - cameAt);
      if (call.answered === undefined) ended(call);
      else void endedLater(call, call.answered);
      return response;
    },
  });

  /** The silence that the connection may have holds until the next request; so would an allowance. */
  function ended(call: ServedCall): void {
    guard?.ended(call);
    call.allowSilence(restSeconds);
  }

  async function endedLater(call: ServedCall, answered: Promise<void>): Promise<void> {
    const reader = call.isLive ? 1 : 0;
    meters.liveReaders += reader;
    await answered;
    meters.liveReaders -= reader;
    ended(call);
  }

  const sockets = processSockets();
  const guard =
    sockets === undefined || server.port === undefined
      ? undefined
      : connectionGuard({
          sockets,
          limits: options.connectionLimits,
          port: server.port,
          addressOf: (request) => server.requestIP(request),
          log,
        });
  const looking = setInterval(() => guard?.look(performance.now()), LOOK_INTERVAL);
  looking.unref();

  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${server.port}`,

    open(given) {
      router = given;
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

/** The runtime's server, as far as a call needs it. */
interface Runtime {
  timeout(request: Request, seconds: number): void;
}

class ServedCall implements Call {
  readonly request: Request;
  readonly #runtime: Runtime;
  readonly requestId: string;
  readonly headers: Record<string, string>;
  length: number | undefined = undefined;
  parameters: readonly string[] = [];
  query = "";
  dialect: Dialect = "spec";
  hasKey = false;
  answered?: Promise<void>;
  isLive?: true;

  constructor(request: Request, runtime: Runtime) {
    this.request = request;
    this.#runtime = runtime;
    this.requestId = requestIdOf(request);
    this.headers = { [REQUEST_ID]: this.requestId };
  }

  allowSilence(seconds: number): void {
    this.#runtime.timeout(this.request, seconds);
  }

  /** The route that the request is for; what its head says stands in the call then. */
  find(router: Router): Route {
    const { headers, url, method } = this.request;
    if (headers.get("host")?.includes(",")) {
      throw new ForebayError("INVALID_HEADER", "The Host header is sent more than once.");
    }
    // Refused on every path, also on those that read no body: a proxy in front may understand it differently.
    this.length = announcedLength(this.request);
    const hasBody = this.length === undefined ? headers.has("transfer-encoding") : this.length > 0;
    // Nothing more comes from the client, so only the server itself can be slow from here on. Where a body
    // is announced, the runtime does the same as soon as the last byte has arrived.
    if (!hasBody) this.allowSilence(0);
    const { path, query } = pathOf(url);
    this.query = query;
    if (path.startsWith(SDK_BASE)) this.dialect = "sdk";
    const found = router(method, this.dialect === "sdk" ? path.slice(SDK_BASE.length - 1) : path);
    this.parameters = found.parameters;
    return found.route;
  }
}

/** Cut out by hand: `new URL` throws on hosts that a request can have, and changes paths that it accepts. */
function pathOf(url: string): { path: string; query: string } {
  const start = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("//") + 2);
  const queryStart = url.indexOf("?", start);
  if (queryStart === -1) return { path: url.slice(start), query: "" };
  return { path: url.slice(start, queryStart), query: url.slice(queryStart + 1) };
}
