import { type ForebayError, readJson } from "./answer.ts";
import { Endpoint } from "./endpoint.ts";
import type { CallOptions } from "./options.ts";
import { type Method, ServerCalls } from "./server-calls.ts";

export interface ForebayOptions {
  /** Where the server listens, `http://127.0.0.1:8000` for instance. */
  readonly url: string;
  readonly key: string;
  /**
   * How long a call is tried again while the server is busy or away, ms; 15000 unless said otherwise, and 0
   * for not at all.
   */
  readonly patience?: number;
  /** The same for a server that is away alone, ms; `patience` unless said otherwise. */
  readonly patienceAway?: number;
  /** Called before a call is made again, with what was answered and how long it waits for that, ms. */
  readonly onRepeat?: (refusal: ForebayError, wait: number) => void;
}

/** A call of any operation, with its path as docs/api.md has it, such as `/v1/endpoints`. */
export interface OtherCall extends CallOptions {
  readonly method?: Method;
  readonly path: string;
  /** Sent as JSON; a text is JSON already. */
  readonly body?: object | string | undefined;
  /** How long the server may hold the call on purpose, ms. */
  readonly hold?: number | undefined;
}

/** Longer than the 10 s after which a rate limit has room again. */
const PATIENCE = 15_000;

/** A Forebay server, used with one key. */
export class Forebay {
  readonly #calls: ServerCalls;

  /** Throws a TypeError when `url` is no http or https address. */
  constructor({ url, key, patience = PATIENCE, patienceAway = patience, onRepeat }: ForebayOptions) {
    if (!/^https?:\/\/[^/]/.test(url))
      throw new TypeError(`url must be an http or https address, got ${url}.`);
    const calls = { busy: patience, away: patienceAway, onRepeat };
    this.#calls = new ServerCalls(url.replace(/\/+$/, ""), key, calls);
  }

  /** The endpoint with this id or name, whether it is there or not. The types are those of its worker. */
  endpoint<Input extends object = Record<string, unknown>, Output = unknown, Piece = Output>(
    id: string,
  ): Endpoint<Input, Output, Piece> {
    return new Endpoint<Input, Output, Piece>(this.#calls, id);
  }

  /**
   * The answer of any operation, for those that have no method here; undefined where it has no content. A
   * POST is made again only when the server has said that it did nothing. Throws as the calls of an endpoint
   * do.
   */
  call(call: OtherCall): Promise<unknown> {
    return this.#calls.call(this.#sent(call), readJson);
  }

  /** The same for an answer that is read by its begin, or little by little. */
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
