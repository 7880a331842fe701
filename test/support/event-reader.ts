import { TEST_KEY } from "./test-client.ts";

/** An event as a reader gets it (WHATWG HTML, 9.2.6). */
export interface SeenEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Reads Server-Sent Events one by one, as a browser parses them. */
export class EventReader {
  readonly response: Response;
  /** Comments that have come so far. */
  comments = 0;
  readonly #abort: AbortController;
  readonly #lines: AsyncIterator<string>;
  #id = "";

  private constructor(response: Response, abort: AbortController) {
    this.response = response;
    this.#abort = abort;
    this.#lines = linesOf(response);
  }

  static async open(url: string, headers: Record<string, string> = {}): Promise<EventReader> {
    const abort = new AbortController();
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${TEST_KEY}`, accept: "text/event-stream", ...headers },
      signal: abort.signal,
    });
    return new EventReader(response, abort);
  }

  /** Of an answer that is there already. */
  static of(response: Response): EventReader {
    return new EventReader(response, new AbortController());
  }

  /** The id of the last event, with which a reader comes back. */
  get lastId(): string {
    return this.#id;
  }

  /** The next event; undefined when the stream has ended. */
  async next(): Promise<SeenEvent | undefined> {
    let event = "message";
    let data: string[] = [];
    for (let line = await this.#line(); line !== undefined; line = await this.#line()) {
      const [, name = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
      if (line.startsWith(":")) this.comments++;
      else if (name === "id") this.#id = value;
      else if (name === "event") event = value;
      else if (name === "data") data.push(value);
      if (line !== "" || data.length === 0) continue;
      return { id: this.#id, event, data: data.join("\n") };
    }
    return undefined;
  }

  /** The next events, `count` of them or all there are. */
  async take(count = Number.POSITIVE_INFINITY): Promise<SeenEvent[]> {
    const events: SeenEvent[] = [];
    while (events.length < count) {
      const event = await this.next();
      if (event === undefined) break;
      events.push(event);
    }
    return events;
  }

  leave(): void {
    this.#abort.abort();
  }

  async #line(): Promise<string | undefined> {
    const { value, done } = await this.#lines.next();
    return done === true ? undefined : value;
  }
}

async function* linesOf(response: Response): AsyncGenerator<string, undefined> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const piece of response.body ?? []) {
    const lines = `${rest}${decoder.decode(piece, { stream: true })}`.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  return undefined;
}
