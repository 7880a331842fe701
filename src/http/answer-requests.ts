import { ForebayError } from "../domain/errors.ts";
import { observe } from "../domain/histogram.ts";
import type { Log } from "../domain/log.ts";
import { FINE, type Meters, requestMeter } from "../domain/meters.ts";
import { announcedLength } from "./body-headers.ts";
import { discardRest } from "./refused-body.ts";
import { type Call, type Dialect, REQUEST_ID, requestIdOf, requestLog } from "./call.ts";
import type { Callers, GuardedCall } from "./connections/callers.ts";
import { RateLimited } from "./errors-with-headers.ts";
import { errorReply, leavesBody } from "./error-reply.ts";
import { errorShapeOf } from "./error-shapes.ts";
import { startingRouter } from "./operate/healthz.ts";
import { type Reply, responseTo } from "./reply.ts";
import type { Route, Router } from "./router.ts";

/** The part of the runtime's server that a call needs. */
export interface Runtime {
  timeout(request: Request, seconds: number): void;
}

/** Answers the requests of a server. */
export interface RequestAnswers {
  /** What the runtime calls for each request. It never rejects. */
  fetch(this: void, request: Request, runtime: Runtime): Promise<Response>;
  /** Uses these routes from now on. Before that each request gets 503. */
  open(router: Router): void;
  /** Notes there from now on who calls. */
  noteCallers(callers: Callers): void;
}

export interface RequestAnswersOptions {
  readonly log: Log;
  readonly meters: Meters;
  /** How long a connection may be silent after an answer, s. */
  readonly rest: number;
}

/** Runs the handler of each request. Whatever it throws becomes an answer. */
export function answerRequests({ log, meters, rest }: RequestAnswersOptions): RequestAnswers {
  // The port is bound before the data is opened: no key can be checked yet.
  let router = startingRouter;
  let callers: Callers | undefined;

  /** The runtime keeps the limit on silence until the next request, so that of the answer is replaced. */
  function ended(call: ServedCall): void {
    callers?.ended(call);
    call.allowSilence(rest);
  }

  async function endedLater(call: ServedCall, answered: Promise<void>): Promise<void> {
    const reader = call.isLive ? 1 : 0;
    meters.liveReaders += reader;
    await answered;
    meters.liveReaders -= reader;
    ended(call);
  }

  return {
    async fetch(request, runtime) {
      const cameAt = performance.now();
      const call = new ServedCall(request, runtime);
      callers?.began(call);
      let template = "";
      let reply: Reply;
      let response: Response;
      try {
        const route = call.find(router);
        template = route.path;
        reply = await route.handle(call);
        response = responseTo(call, reply);
      } catch (error) {
        if (call.hasKey && leavesBody(error)) await discardRest(call);
        reply = failedReply(call, error, log, meters);
        response = responseTo(call, reply);
      }
      countAnswer(meters, template, reply.status, performance.now() - cameAt);
      if (call.answered === undefined) ended(call);
      else void endedLater(call, call.answered);
      return response;
    },

    open(given) {
      router = given;
    },

    noteCallers(given) {
      callers = given;
    },
  };
}

/** Everything that the metrics do for a request. */
function countAnswer(meters: Meters, template: string, status: number, took: number): void {
  const meter = requestMeter(meters, template);
  const index = Math.floor(status / 100);
  meter.classes[index] = (meter.classes[index] ?? 0) + 1;
  observe(meter.durations, took * FINE);
}

const SDK_BASE = "/sdk/";

class ServedCall implements Call, GuardedCall {
  readonly request: Request;
  readonly #runtime: Runtime;
  #requestId: string | undefined;
  #headers: Record<string, string> | undefined;
  length: number | undefined = undefined;
  parameters: readonly string[] = [];
  query = "";
  dialect: Dialect = "spec";
  hasKey = false;
  place = -1;
  answered?: Promise<void>;
  isLive?: true;

  constructor(request: Request, runtime: Runtime) {
    this.request = request;
    this.#runtime = runtime;
  }

  // Both are created for the answer: thousands of calls wait.
  get requestId(): string {
    return (this.#requestId ??= requestIdOf(this.request));
  }

  get headers(): Record<string, string> {
    return (this.#headers ??= { [REQUEST_ID]: this.requestId });
  }

  allowSilence(seconds: number): void {
    this.#runtime.timeout(this.request, seconds);
  }

  /** Finds the route of the request, and notes what its headers say. */
  find(router: Router): Route {
    const { headers, url, method } = this.request;
    if (headers.get("host")?.includes(",")) {
      throw new ForebayError("INVALID_HEADER", "The Host header was sent more than once. Send it once.");
    }
    // Refused on every path, also on those that read no body: a proxy in front could read it differently.
    this.length = announcedLength(this.request);
    const hasBody = this.length === undefined ? headers.has("transfer-encoding") : this.length > 0;
    // The client sends nothing more, so only the server itself can be slow from here on. If a body is
    // announced, the runtime does the same after its last byte.
    if (!hasBody) this.allowSilence(0);
    const { path, query } = pathOf(url);
    this.query = query;
    if (path.startsWith(SDK_BASE)) this.dialect = "sdk";
    const found = router(method, this.dialect === "sdk" ? path.slice(SDK_BASE.length - 1) : path);
    this.parameters = found.parameters;
    return found.route;
  }
}

/** Parsed by hand: `new URL` throws on hosts that a request can have, and changes paths that it accepts. */
function pathOf(url: string): { path: string; query: string } {
  const start = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("//") + 2);
  const queryStart = url.indexOf("?", start);
  if (queryStart === -1) return { path: url.slice(start), query: "" };
  return { path: url.slice(start, queryStart), query: url.slice(queryStart + 1) };
}

function failedReply({ request, requestId }: Call, error: unknown, log: Log, meters: Meters): Reply {
  countLimit(meters, error);
  return errorReply(error, requestLog(log, requestId), errorShapeOf(pathOf(request.url).path));
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
