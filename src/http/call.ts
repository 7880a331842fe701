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
