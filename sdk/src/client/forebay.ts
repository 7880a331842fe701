import { Endpoint } from "./endpoint.ts";
import { ServerCalls } from "./server-calls.ts";

export interface ForebayOptions {
  /** Where the server listens, `http://127.0.0.1:8000` for instance. */
  readonly url: string;
  readonly key: string;
  /**
   * How long a call is tried again while the server is busy or away, ms; 15000 unless said otherwise, and 0
   * for not at all.
   */
  readonly patience?: number;
}

/** Longer than the 10 s after which a rate limit has room again. */
const PATIENCE = 15_000;

/** A Forebay server, used with one key. */
export class Forebay {
  readonly #calls: ServerCalls;

  /** Throws a TypeError when `url` is no http or https address. */
  constructor({ url, key, patience = PATIENCE }: ForebayOptions) {
    if (!/^https?:\/\/[^/]/.test(url))
      throw new TypeError(`url must be an http or https address, got ${url}.`);
    // The dialect that tells the state together with the chunks of a stream, and the progress of a job.
    this.#calls = new ServerCalls(`${url.replace(/\/+$/, "")}/sdk/v2`, key, patience);
  }

  /** The endpoint with this id, whether it is there or not. The types are those of its worker. */
  endpoint<Input extends object = Record<string, unknown>, Output = unknown, Piece = Output>(
    id: string,
  ): Endpoint<Input, Output, Piece> {
    return new Endpoint<Input, Output, Piece>(this.#calls, id);
  }
}
