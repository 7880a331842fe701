import { Backoff, pause } from "../backoff.ts";
import { onAbort } from "../on-abort.ts";
import { faultOf, ForebayError } from "./answer.ts";
import type { CallOptions } from "./options.ts";

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

export interface ServerCall extends CallOptions {
  readonly method: Method;
  /** What follows the base address. */
  readonly path: string;
  /** JSON. */
  readonly body?: string;
  /** By it the server knows a submission again. */
  readonly idempotencyKey?: string;
  /** How long the server may hold the call on purpose, ms. */
  readonly hold?: number | undefined;
  /** Whether the answer is still read when the call has returned: its signal ends that as well. */
  readonly isOpen?: boolean;
  /** Whether a second call does nothing that the first one has not done. */
  readonly isRepeatable: boolean;
}

/** How long calls are made again, ms, where they do not say. */
interface Patience {
  /** While the server answers that it cannot take them now. */
  readonly busy: number;
  /** While nobody answers. */
  readonly away: number;
  /** Called before each pause with what was answered and how long it will be, ms. */
  readonly onRepeat: ((refusal: ForebayError, wait: number) => void) | undefined;
}

/** How long an answer may take beyond what the server holds it, ms. */
const ANSWER_LIMIT = 30_000;

/** The way to the server: one key, and the calls that are tried again. */
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
   * What `read` makes of the answer. A call that the server does not take now (429, 503) is made again, after
   * the time that it names and a random pause that grows, and so is one without an answer if that is safe,
   * until patience is over. Throws ForebayError, and the reason of `signal`.
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
        // Whoever was told the same time would come back at the same moment without it.
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

/**
 * 429 and 503 have changed nothing, but for a database that did not answer, whose commit nobody knows of;
 * without an answer nobody knows either, and a proxy's 502 and 504 are none.
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
