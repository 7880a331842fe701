import { Backoff, pause } from "../backoff.ts";
import { onAbort } from "../on-abort.ts";
import { ServerAway, type ServerLink } from "../server-link.ts";

/** A call that the server holds longer than this is aborted, ms. */
const HELD_LIMIT = 90_000;

/** A call that returns nothing sooner than this was not held, ms. */
const NOT_HELD = 25;

/** A call that is repeated, and that the server holds until it has an answer. */
export class LongPoll {
  readonly #link: ServerLink;
  readonly #over: AbortSignal;
  readonly #backoff = new Backoff();

  /** When `over` aborts, no call is made or waited for any more. */
  constructor(link: ServerLink, over: AbortSignal) {
    this.#link = link;
    this.#over = over;
  }

  /**
   * The answer; undefined if the server is away, does not hold its calls, or had nothing. Waits before it
   * returns if the next call would be too early. Throws WorkerRefused.
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
