import { connect } from "node:net";
import { TEST_KEY } from "./test-client.ts";

/** How a request ends: the sender waits for the answer, has nothing more to say, or breaks the connection. */
export type RawEnd = "waits" | "closes" | "resets";

export interface RawRequest {
  readonly method: string;
  readonly path: string;
  /** Lines beside Host, Authorization and Content-Type. */
  readonly headers: readonly string[];
  /** What follows the headers, as it is. */
  readonly body: string | Uint8Array;
  readonly end: RawEnd;
}

/** How long an answer may take, ms. */
const LIMIT = 20_000;

/**
 * Sends a request byte by byte as given, with the admin key; the status of the answer, or undefined when the
 * server closes the connection without one.
 */
export async function rawRequest(url: string, request: RawRequest): Promise<number | undefined> {
  const { host, hostname, port } = new URL(url);
  const { method, path, headers, body, end } = request;
  const own = [`host: ${host}`, `authorization: ${TEST_KEY}`, "content-type: application/json"];
  const head = `${method} ${path} HTTP/1.1\r\n${[...own, ...headers].join("\r\n")}\r\n\r\n`;
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const socket = connect({ host: hostname, port: Number(port) });
  let answer = "";
  const timer = setTimeout(() => reject(new Error(`no answer within ${LIMIT} ms to:\n${head}`)), LIMIT);
  socket.on("data", (piece: Buffer) => {
    answer += piece.toString("latin1");
    const status = /^HTTP\/1\.1 ([2-5][0-9]{2}) /.exec(answer)?.[1];
    if (status !== undefined && answer.includes("\r\n\r\n")) resolve(Number(status));
  });
  socket.on("error", () => resolve(undefined));
  socket.on("close", () => resolve(undefined));
  socket.write(head);
  socket.write(body, () => {
    if (end === "closes") socket.end();
    if (end === "resets") socket.resetAndDestroy();
  });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}
