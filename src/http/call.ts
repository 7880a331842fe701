import type { Log } from "../domain/log.ts";

/** One request on its way through a route. */
export interface Call {
  readonly request: Request;
  /** Under which it is logged. */
  readonly requestId: string;
  /** The Content-Length, bytes; undefined where the request has none. */
  readonly length: number | undefined;
  /**
   * What stands in the path at the places in braces, in order. Each has the characters of an id, except
   * `{route}`, which is as it was sent, and `{endpoint}`: that is any text, decoded, until the caller is
   * known. Then it is the id of an endpoint that the caller's key opens.
   */
  parameters: readonly string[];
  /** The query without its question mark, still encoded. */
  readonly query: string;
  /** Which dialect the path asked for. */
  readonly dialect: Dialect;
  /** Headers of its answer beside those of the reply, which win over these. */
  readonly headers: Record<string, string>;
  /** Whether the caller has shown a valid key or token so far. */
  hasKey: boolean;
  /** Lets the connection be still for this many seconds, 0 to 255; 0 for as long as the answer takes. */
  allowSilence(seconds: number): void;
  /**
   * Set for an answer that goes on after the handler has returned: resolves when it is whole, or when nobody
   * waits for it any more.
   */
  answered?: Promise<void>;
  /** Set for an answer of Server-Sent Events. */
  isLive?: true;
}

/** The spec's own shapes, or those that the public SDKs of this API expect (design, row 1). */
export type Dialect = "spec" | "sdk";

/** The header by which a request is found again in logs, here and at who sent it. */
export const REQUEST_ID = "x-request-id";

/** What may stand in a line of a log. */
const VALID = /^[\w.:/+=@-]{1,128}$/;

/** The id that the request came with, if it is a sensible one, or else a new one. It opens nothing. */
export function requestIdOf({ headers }: Request): string {
  const given = headers.get(REQUEST_ID);
  return given !== null && VALID.test(given) ? given : crypto.randomUUID();
}

/** The log, with the id of the request in each line. */
export function requestLog(log: Log, requestId: string): Log {
  return {
    info: (message, fields) => log.info(message, { ...fields, requestId }),
    warn: (message, fields) => log.warn(message, { ...fields, requestId }),
    error: (message, fields) => log.error(message, { ...fields, requestId }),
  };
}
