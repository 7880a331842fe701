import type { Log } from "../../src/domain/log.ts";
import { announcedLength } from "../../src/http/body-headers.ts";
import type { Call } from "../../src/http/call.ts";
import { errorReply } from "../../src/http/error-reply.ts";
import { errorShapeOf } from "../../src/http/error-shapes.ts";
import { responseTo } from "../../src/http/reply.ts";
import type { Router } from "../../src/http/router.ts";
import type { Connection } from "./network.ts";

/** Answers as `src/http/server.ts` does, without sockets. Resolves when the answer has ended. */
export async function serveRequest(router: Router, log: Log, connection: Connection): Promise<void> {
  const { request } = connection;
  const response = await handled(router, log, request);
  const { status, headers } = response;
  const body = await readToEnd(response, request.signal);
  if (body === undefined) connection.breakOff();
  else connection.answer({ status, headers, body });
}

async function handled(router: Router, log: Log, request: Request): Promise<Response> {
  const url = request.url.slice(request.url.indexOf("/", "http://".length));
  const [path = "", query = ""] = url.split("?");
  const isSdk = path.startsWith("/sdk/");
  const call: Call = {
    request,
    requestId: "simulated",
    length: announcedLength(request),
    parameters: [],
    query,
    dialect: isSdk ? "sdk" : "spec",
    headers: {},
    hasKey: false,
    allowSilence: () => undefined,
  };
  try {
    const { route, parameters } = router(request.method, isSdk ? path.slice("/sdk".length) : path);
    call.parameters = parameters;
    return responseTo(call, await route.handle(call));
  } catch (error) {
    return responseTo(call, errorReply(error, log, errorShapeOf(path)));
  }
}

/** Undefined when the connection broke before the end. */
async function readToEnd(response: Response, signal: AbortSignal): Promise<string | undefined> {
  if (response.body === null) return "";
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  const { promise: gone, resolve } = Promise.withResolvers<undefined>();
  const leave = (): void => resolve(undefined);
  if (signal.aborted) leave();
  else signal.addEventListener("abort", leave, { once: true });
  for (;;) {
    let read: Awaited<ReturnType<typeof reader.read>> | undefined;
    try {
      read = await Promise.race([reader.read(), gone]);
    } catch {
      // The handler broke the answer off after its head: the runtime closes the connection.
      return undefined;
    }
    if (read === undefined) {
      void reader.cancel();
      return undefined;
    }
    if (read.done) return text + decoder.decode();
    text += decoder.decode(read.value, { stream: true });
  }
}
