import type { WorkerLog } from "./log.ts";

export interface ServerCall {
  readonly url: string;
  /** Sent with POST. Without it the call is a GET. */
  readonly body?: string;
  /** Whether the answer is JSON. Any other answer is ignored. */
  readonly answersJson: boolean;
  /** How long the answer may take to begin, ms. */
  readonly limit: number;
  /** Aborts the call. */
  readonly controller?: AbortController;
}

/** The result of a call that the server has processed. */
export type ServerAnswer =
  /** Done. `value` is the JSON of the answer; undefined if there was none. */
  | { readonly kind: "done"; readonly value: unknown }
  /** The call itself is wrong, so it would be refused again. */
  | { readonly kind: "refused"; readonly sentence: string };

/** The server did not process the call, which must be repeated. */
export class ServerAway extends Error {}

/** The server does not accept this worker, so it answers no call. */
export class WorkerRefused extends Error {}

/** How long an answer may take once it has begun, ms: it can carry many large inputs. */
const BODY_LIMIT = 60_000;

/** Calls the server with one token, and logs when it goes away and comes back. */
export class ServerLink {
  readonly #headers: Record<string, string>;
  readonly #log: WorkerLog;
  #isAway = false;

  constructor(token: string, log: WorkerLog) {
    this.#log = log;
    this.#headers = { authorization: token, "content-type": "application/json" };
  }

  /** Throws ServerAway, WorkerRefused, and the reason with which `controller` was aborted. */
  async call(call: ServerCall): Promise<ServerAnswer> {
    const { controller = new AbortController() } = call;
    let isLate = false;
    const giveUp = (): void => {
      isLate = true;
      controller.abort();
    };
    let timer = setTimeout(giveUp, call.limit);
    try {
      const response = await fetch(call.url, { ...this.#requestOf(call), signal: controller.signal });
      clearTimeout(timer);
      timer = setTimeout(giveUp, BODY_LIMIT);
      const answer = await answerOf(response, call.answersJson);
      if (this.#isAway) this.#log.info("the server answers again");
      this.#isAway = false;
      return answer;
    } catch (error) {
      if (error instanceof WorkerRefused) throw error;
      if (isLate) throw this.#away(new ServerAway("the server did not answer in time"));
      if (controller.signal.aborted) throw error;
      throw this.#away(error);
    } finally {
      clearTimeout(timer);
    }
  }

  #requestOf({ body }: ServerCall): RequestInit {
    return body === undefined ? { headers: this.#headers } : { method: "POST", headers: this.#headers, body };
  }

  #away(error: unknown): ServerAway {
    const away = error instanceof ServerAway ? error : new ServerAway(reasonOf(error));
    if (!this.#isAway) this.#log.warn(`${away.message}; trying again until it answers`);
    this.#isAway = true;
    return away;
  }
}

async function answerOf(response: Response, hasJson: boolean): Promise<ServerAnswer> {
  const { status } = response;
  if (status === 200 && hasJson) return { kind: "done", value: await response.json() };
  if (response.ok) {
    // The body is read so that the connection can be used again.
    await response.arrayBuffer();
    return { kind: "done", value: undefined };
  }
  const sentence = await sentenceOf(response);
  if (status === 401) {
    throw new WorkerRefused(
      `The server refuses this worker: ${sentence} ` +
        "POST /v1/endpoints/<endpoint>/workers creates a valid token.",
    );
  }
  if (status === 400 || status === 413) return { kind: "refused", sentence };
  throw new ServerAway(`the server answered ${status}: ${sentence}`);
}

async function sentenceOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === "object" && body !== null && "error" in body) return String(body.error);
  } catch {
    // The answer is not from the server, but for example the page of a proxy.
  }
  return text === "" ? response.statusText : text.slice(0, 200);
}

/** The error of `fetch` has the reason in its cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return `the server cannot be reached (${cause instanceof Error ? cause.message : String(cause)})`;
}
