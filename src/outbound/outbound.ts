/** One call to a receiver that a client chose. */
export interface OutboundRequest {
  readonly url: string;
  /** Host, Content-Length, Connection, Accept-Encoding and User-Agent are added, and cannot be set. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The time limit for the whole call, from resolving the name to the end of the answer, ms. */
  readonly timeout: number;
}

/** The result of a call. */
export type OutboundOutcome =
  /** The receiver answered, with any final status, 301 and 500 included. */
  | { readonly kind: "answered"; readonly status: number }
  /** It did not answer, or must not be called. The reason is a sentence. */
  | { readonly kind: "failed"; readonly reason: string };

/**
 * Calls to addresses that clients choose. They reach only the internet and the networks on the allow list.
 */
export interface Outbound {
  /**
   * Why this address can never be called, as a sentence that says what to change; undefined if it may be
   * called. Resolves no names: the addresses of a name are checked when it is called.
   */
  refusal(url: string): string | undefined;
  /**
   * Sends a POST and waits for the answer. Follows no redirect. Returns a reason, and never throws, for every
   * fault of a receiver, its name or its network.
   */
  post(request: OutboundRequest): Promise<OutboundOutcome>;
}
