/** One call to a receiver that a stranger named. */
export interface OutboundRequest {
  readonly url: string;
  /**
   * Beside these go Host, Content-Length, Connection, Accept-Encoding and User-Agent, which nobody can
   * set.
   */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** How long the whole exchange may take, from the look-up of the name to the end of the answer, ms. */
  readonly timeout: number;
}

/** What became of a call. */
export type OutboundOutcome =
  /** The receiver has answered, with any final status: 301 and 500 are answers too. */
  | { readonly kind: "answered"; readonly status: number }
  /** It did not, or must not be called. The reason is a sentence. */
  | { readonly kind: "failed"; readonly reason: string };

/**
 * Calls to addresses that strangers name, which reach nothing but the internet and the networks on a
 * list.
 */
export interface Outbound {
  /**
   * Why this address can never be called, as a sentence that names what to change; undefined when nothing
   * speaks against it. Resolves no names: what a name stands for is looked at when it is called.
   */
  refusal(url: string): string | undefined;
  /**
   * Sends a POST and waits for the answer. Follows no redirect. Fails with a reason, and never throws, for
   * all that a receiver, its name or its network can do.
   */
  post(request: OutboundRequest): Promise<OutboundOutcome>;
}
