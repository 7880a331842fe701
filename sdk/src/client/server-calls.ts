import { Backoff, pause } from "../backoff.ts";
import { type Answer, readAnswer } from "./answer.ts";
import { ForebayError } from "./forebay-error.ts";
import type { CallOptions } from "./options.ts";

export interface ServerCall extends CallOptions {
  readonly method: "GET" | "POST";
  /** What follows the base address. */
  readonly path: string;
  /** JSON. */
  readonly body?: string;
  /** By it the server knows a submission again. */
  readonly idempotencyKey?: string;
  /** How long the server may hold the call on purpose, ms. */
  readonly hold?: number | undefined;
  /** Whether a second call does nothing that the first one has not done. */
  readonly isRepeatable: boolean;
}

/** How long an answer may take beyond what the server holds it, ms. */
const ANSWER_LIMIT = 30_000;

/** The way to the server: one key, and the calls that are tried again. */
export class ServerCalls {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #patience: number;

  constructor(base: string, key: string, patience: number) {
    this.#base = base;
    this.#headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    this.#patience = patience;
  }

  /**
   * The answer. A call that the server does not take now (429, 503) is made again, and so is one without an
   * answer if that is safe, until patience is over. Throws ForebayError, and the reason of `signal`.
   */
  async call(call: ServerCall): Promise<Answer> {
    const { signal = new AbortController().signal, patience = this.#patience } = call;
    const giveUpAt = performance.now() + patience;
    const backoff = new Backoff();
    for (;;) {
      signal.throwIfAborted();
      try {
        return await this.#once(call, signal);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        const wait = error.retryAfter ?? backoff.next();
        const isOver = performance.now() + wait >= giveUpAt;
        if (isOver || !mayRepeat(call, error.refusal)) throw error.refusal;
        await pause(wait, signal);
      }
    }
  }

  async #once(call: ServerCall, signal: AbortSignal): Promise<Answer> {
    const { method, path, body, idempotencyKey, hold = 0 } = call;
    const controller = new AbortController();
    const abort = (): void => controller.abort(signal.reason);
    signal.addEventListener("abort", abort);
    const late = new Error("the answer did not come in time");
    const timer = setTimeout(() => controller.abort(late), hold + ANSWER_LIMIT);
    let retryAfter: number | undefined;
    try {
      const response = await fetch(`${this.#base}${path}`, {
        method,
        headers: {
          ...this.#headers,
          ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
        },
        ...(body === undefined ? {} : { body }),
        signal: controller.signal,
      });
      retryAfter = secondsOf(response.headers.get("retry-after"));
      return await readAnswer(response);
    } catch (error) {
      signal.throwIfAborted();
      throw new Refusal(error instanceof ForebayError ? error : this.#unreachable(error), retryAfter);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    }
  }

  #unreachable(error: unknown): ForebayError {
    // `fetch` of Node says only that it failed; why is told by the cause.
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const { origin } = new URL(this.#base);
    const sentence = `no server answers at ${origin} (${reasonOf(cause)}).`;
    return new ForebayError(sentence, "UNREACHABLE", 0, { cause: error });
  }
}

/** A call that came to nothing, and how long the server wants to be left alone, ms. */
class Refusal extends Error {
  readonly refusal: ForebayError;
  readonly retryAfter: number | undefined;

  constructor(refusal: ForebayError, retryAfter: number | undefined) {
    super(refusal.message);
    this.refusal = refusal;
    this.retryAfter = retryAfter;
  }
}

/** A code says it in a word, ECONNREFUSED for instance. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.message;
}

/** 429 and 503 have changed nothing; without an answer nobody knows, and a proxy's 502 and 504 are none. */
function mayRepeat({ isRepeatable }: ServerCall, { status }: ForebayError): boolean {
  return status === 429 || status === 503 || (isRepeatable && [0, 502, 504].includes(status));
}

/** Milliseconds; undefined for the form with a date, which no Forebay server sends. */
function secondsOf(retryAfter: string | null): number | undefined {
  return retryAfter !== null && /^[0-9]{1,6}$/.test(retryAfter) ? Number(retryAfter) * 1_000 : undefined;
}
