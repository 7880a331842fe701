import { Backoff, pause } from "../backoff.ts";
import { onAbort } from "../on-abort.ts";
import { ServerAway, type ServerLink } from "../server-link.ts";

/** A server holds a call for jobs, or for jobs to stop, for a while; then it is given up, ms. */
const HELD_LIMIT = 90_000;

/** A call that brings nothing sooner than this was not held, ms. */
const NOT_HELD = 25;

/** One question asked again and again, whose answer the server holds back until there is one. */
export class LongPoll {
  readonly #link: ServerLink;
  readonly #over: AbortSignal;
  readonly #backoff = new Backoff();

  /** No question is asked any more, and none waited for, once `over` aborts. */
  constructor(link: ServerLink, over: AbortSignal) {
    this.#link = link;
    this.#over = over;
  }

  /**
   * The answer, or undefined when there was none: the server is away, does not hold its calls, or had
   * nothing. Returns after a pause where the next question would come too soon. Throws WorkerRefused.
   */
  async ask(url: string): Promise<unknown> {
    const controller = new AbortController();
    const unlisten = onAbort(this.#over, () => controller.abort());
    const startedAt = performance.now();
    try {
      const answer = await this.#link.call({ url, answersJson: true, limit: HELD_LIMIT, controller });
      if (answer.kind === "done" && answer.value !== undefined) {
        this.#backoff.reset();
        return answer.value;
      }
      if (performance.now() - startedAt > NOT_HELD) return undefined;
    } catch (error) {
      if (!this.#over.aborted && !(error instanceof ServerAway)) throw error;
    } finally {
      unlisten();
    }
    await pause(this.#backoff.next(), this.#over);
    return undefined;
  }
}
