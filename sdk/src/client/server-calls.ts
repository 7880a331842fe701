import { Backoff, pause } from "../backoff.ts";
import { onAbort } from "../on-abort.ts";
import { faultOf, ForebayError } from "./answer.ts";
import type { CallOptions } from "./options.ts";

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

export interface ServerCall extends CallOptions {
  readonly method: Method;
  /** The path after the base address. */
  readonly path: string;
  /** The body as JSON. */
  readonly body?: string;
  /** With it, the server recognizes a repeated submission. */
  readonly idempotencyKey?: string;
  /** How long the server may hold the call, ms. */
  readonly hold?: number | undefined;
  /** Whether the answer is streamed: then the signal also ends its body. */
  readonly isOpen?: boolean;
  /** Whether repeating the call is harmless. */
  readonly isRepeatable: boolean;
}

/** The default time for retries, ms. */
interface Patience {
  /** While the server answers that it is busy. */
  readonly busy: number;
  /** While nobody answers. */
  readonly away: number;
  /** Called before each retry, with the error and the wait, ms. */
  readonly onRepeat: ((refusal: ForebayError, wait: number) => void) | undefined;
}

/** How long an answer may take, beyond the hold of the server, ms. */
const ANSWER_LIMIT = 30_000;

/** Calls the server with one API key, and retries. */
export class ServerCalls {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #patience: Patience;

  constructor(base: string, key: string, patience: Patience) {
    this.#base = base;
    this.#headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    this.#patience = patience;
  }

  /**
   * The result of `read` for the answer. A call that the server refuses for now (429, 503) is retried, after
   * the time that it names plus a random pause that grows. A call without an answer is retried if that is
   * safe. Retries end with the patience. Throws ForebayError, and the reason of `signal`.
   */
  async call<Result>(call: ServerCall, read: (response: Response) => Promise<Result>): Promise<Result> {
    const { signal = new AbortController().signal, patience } = call;
    const begunAt = performance.now();
    const backoff = new Backoff();
    for (;;) {
      signal.throwIfAborted();
      try {
        return await this.#once(call, signal, read);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        const { refusal, retryAfter = 0 } = error;
        // Without it, all clients with the same wait would retry at the same moment.
        const wait = retryAfter + backoff.next();
        const limit = patience ?? (isBusy(refusal) ? this.#patience.busy : this.#patience.away);
        const isOver = performance.now() - begunAt + wait >= limit;
        if (isOver || !mayRepeat(call, refusal)) throw refusal;
        this.#patience.onRepeat?.(refusal, wait);
        await pause(wait, signal);
      }
    }
  }

  async #once<Result>(
    call: ServerCall,
    signal: AbortSignal,
    read: (response: Response) => Promise<Result>,
  ): Promise<Result> {
    const { method, path, body, idempotencyKey, hold = 0 } = call;
    const controller = new AbortController();
    const unlisten = onAbort(signal, () => controller.abort(signal.reason));
    const late = new Error("the answer did not come in time");
    const timer = setTimeout(() => controller.abort(late), hold + ANSWER_LIMIT);
    let retryAfter: number | undefined;
    let isRead = !call.isOpen;
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
      if (response.ok) return await read(response);
      isRead = true;
      throw await faultOf(response);
    } catch (error) {
      signal.throwIfAborted();
      throw new Refusal(error instanceof ForebayError ? error : this.#unreachable(error), retryAfter);
    } finally {
      clearTimeout(timer);
      if (isRead) unlisten();
    }
  }

  #unreachable(error: unknown): ForebayError {
    // Node's `fetch` has the reason in the cause of its error.
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const { origin } = new URL(this.#base);
    const sentence = `no server answers at ${origin} (${reasonOf(cause)}).`;
    return new ForebayError(sentence, "UNREACHABLE", 0, { cause: error });
  }
}

/** A failed call, and how long the server asks to wait, ms. */
class Refusal extends Error {
  readonly refusal: ForebayError;
  readonly retryAfter: number | undefined;

  constructor(refusal: ForebayError, retryAfter: number | undefined) {
    super(refusal.message);
    this.refusal = refusal;
    this.retryAfter = retryAfter;
  }
}

/** An error code, such as ECONNREFUSED, says it in a word. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.message;
}

/**
 * 429 and 503 changed nothing, unless a database did not answer: then nobody knows whether it committed. The
 * same holds without an answer, and for 502 and 504 of a proxy.
 */
function mayRepeat({ isRepeatable }: ServerCall, refusal: ForebayError): boolean {
  const { status, code } = refusal;
  if (isBusy(refusal) && code !== "STORAGE_UNAVAILABLE") return true;
  return isRepeatable && [0, 502, 503, 504].includes(status);
}

function isBusy({ status }: ForebayError): boolean {
  return status === 429 || status === 503;
}

/** Milliseconds; undefined for the form with a date, which no Forebay server sends. */
function secondsOf(retryAfter: string | null): number | undefined {
  return retryAfter !== null && /^[0-9]{1,6}$/.test(retryAfter) ? Number(retryAfter) * 1_000 : undefined;
}
