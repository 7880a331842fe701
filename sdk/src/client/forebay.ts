import { type ForebayError, readJson } from "./answer.ts";
import { Endpoint } from "./endpoint.ts";
import type { CallOptions } from "./options.ts";
import { type Method, ServerCalls } from "./server-calls.ts";

export interface ForebayOptions {
  /** The address of the server, such as `http://127.0.0.1:8000`. */
  readonly url: string;
  readonly key: string;
  /**
   * How long a call is retried while the server is busy or away, ms; by default 15000, and 0 for no retries.
   */
  readonly patience?: number;
  /** The same only for a server that is away, ms; by default `patience`. */
  readonly patienceAway?: number;
  /** Called before each retry, with the error and the wait before it, ms. */
  readonly onRepeat?: (refusal: ForebayError, wait: number) => void;
}

/** A call of any operation. The path is as in docs/api.md, such as `/v1/endpoints`. */
export interface OtherCall extends CallOptions {
  readonly method?: Method;
  readonly path: string;
  /** Sent as JSON. A text is already JSON. */
  readonly body?: object | string | undefined;
  /** How long the server may hold the call, ms. */
  readonly hold?: number | undefined;
}

/** Longer than the 10 s after which a rate limit allows calls again. */
const PATIENCE = 15_000;

/** A Forebay server, used with one API key. */
export class Forebay {
  readonly #calls: ServerCalls;

  /** Throws a TypeError if `url` is not an http or https address. */
  constructor({ url, key, patience = PATIENCE, patienceAway = patience, onRepeat }: ForebayOptions) {
    if (!/^https?:\/\/[^/]/.test(url))
      throw new TypeError(`url must be an http or https address, got ${url}.`);
    const calls = { busy: patience, away: patienceAway, onRepeat };
    this.#calls = new ServerCalls(url.replace(/\/+$/, ""), key, calls);
  }

  /** The endpoint with this id or name, whether it exists or not. The types are those of its worker. */
  endpoint<Input extends object = Record<string, unknown>, Output = unknown, Piece = Output>(
    id: string,
  ): Endpoint<Input, Output, Piece> {
    return new Endpoint<Input, Output, Piece>(this.#calls, id);
  }

  /**
   * The answer of any operation, for operations without a method here; undefined if it has no content. A POST
   * is retried only if the server said that it did nothing. Throws as the calls of an endpoint do.
   */
  call(call: OtherCall): Promise<unknown> {
    return this.#calls.call(this.#sent(call), readJson);
  }

  /** The same for a streamed answer. */
  open(call: OtherCall): Promise<Response> {
    return this.#calls.call({ ...this.#sent(call), isOpen: true }, (response) => Promise.resolve(response));
  }

  #sent({ method = "GET", body, ...call }: OtherCall) {
    const isRepeatable = method !== "POST";
    return {
      ...call,
      method,
      isRepeatable,
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    };
  }
}
