import type { Log } from "../domain/log.ts";

/** One request. */
export interface Call {
  readonly request: Request;
  /** Its id in the logs. */
  readonly requestId: string;
  /** The Content-Length, bytes; undefined if the request has none. */
  readonly length: number | undefined;
  /**
   * The values of the places in braces in the path, in order. Each has the characters of an id, with two
   * exceptions. `{route}` is as it was sent. `{endpoint}` is any text, decoded, until the caller is known;
   * then it is the id of an endpoint that the caller's key opens.
   */
  parameters: readonly string[];
  /** The query without its question mark, still encoded. */
  readonly query: string;
  /** The dialect of the path. */
  readonly dialect: Dialect;
  /** Headers of its answer, besides those of the reply, which override them. */
  readonly headers: Record<string, string>;
  /** Whether the caller has shown a valid key or token so far. */
  hasKey: boolean;
  /** Allows the connection to be silent for this many seconds, 1 to 255; 0: as long as the answer takes. */
  allowSilence(seconds: number): void;
  /**
   * Set for an answer that goes on after the handler has returned: resolves when the whole answer has been
   * sent, or the caller has disconnected.
   */
  answered?: Promise<void>;
  /** Set for an answer with Server-Sent Events. */
  isLive?: true;
}

/** The shapes of the spec, or those that the public SDKs expect (design, row 1). */
export type Dialect = "spec" | "sdk";

/** The header that connects the logs of the caller with ours. */
export const REQUEST_ID = "x-request-id";

/** What a line of a log can contain. */
const VALID = /^[\w.:/+=@-]{1,128}$/;

/** The id that came with the request, if it is valid; otherwise a new one. It gives no rights. */
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
