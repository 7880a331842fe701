import type { Call } from "./call.ts";
import { goingReply, LONGEST_SILENCE, SHORTEST_SILENCE } from "./going-reply.ts";
import type { Part, Reply } from "./reply.ts";

/** Tells the reader to reconnect after 1,000 ms. It also makes the headers leave at once. */
export const BEGINNING = "retry: 1000\n\n";

/** A comment keeps an idle connection open, and readers ignore it. */
export const COMMENT = ": \n\n";

/** The connection is closed if it has taken nothing for this many comments. */
const UNREAD_COMMENTS = 4;

/** Tells proxies not to buffer. */
export const EVENT_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
};

/** What `yield` in a body returns: the runtime's connection. */
export interface Connection {
  /** A promise if the reader has not taken the earlier data; it resolves when that has been sent. */
  write(data: Part): number | Promise<number>;
  flush(): unknown;
}

/** A body whose `yield` returns its connection. */
export type ConnectedParts = AsyncGenerator<Part, void, Connection>;

/**
 * Sends events to a reader while the generator of its body waits: at once, and without a promise for each. If
 * there are many readers, each gets its events before those of the next one are created.
 */
export class DirectEvents {
  #connection: Connection | undefined;
  #isBehind = false;

  /** To be called when everything that was yielded before has been written. */
  connect(connection: Connection): void {
    this.#connection = connection;
  }

  /**
   * Sends what `make` returns. False if the generator must do so, because the reader has not taken the
   * earlier events, or `make` returns undefined. An error in here is ignored: the generator meets it again.
   */
  offer(make: () => Part | undefined): boolean {
    if (this.#connection === undefined || this.#isBehind) return false;
    try {
      const events = make();
      if (events !== undefined && events.length > 0) this.#send(this.#connection, events);
      return events !== undefined;
    } catch {
      return false;
    }
  }

  #send(connection: Connection, events: Part): void {
    const sent = connection.write(events);
    if (!(sent instanceof Promise)) connection.flush();
    else {
      this.#isBehind = true;
      const goOn = (): void => void (this.#isBehind = false);
      // If the reader has disconnected, the call itself notices.
      sent.then(goOn, goOn);
    }
  }
}

/**
 * 200 with Server-Sent Events (WHATWG HTML, 9.2), each sent at once. A reader that takes nothing for four
 * times `silence` ms is disconnected. Until then only what it has not taken is held, and no more is read.
 */
export function eventStream(
  call: Call,
  silence: number,
  headers: Readonly<Record<string, string>>,
  events: () => AsyncIterable<Part>,
): Reply {
  const seconds = Math.ceil((UNREAD_COMMENTS * silence) / 1_000);
  const longest = Math.min(LONGEST_SILENCE, Math.max(SHORTEST_SILENCE, seconds));
  call.isLive = true;
  return goingReply(call, { ...EVENT_HEADERS, ...headers }, events, longest);
}

/** Whether the caller asks for Server-Sent Events (RFC 9110, 12.5.1). */
export function wantsEvents({ request }: Call): boolean {
  const accepted = (request.headers.get("accept") ?? "").toLowerCase().split(",");
  return accepted.some((range) => {
    const [type, ...parameters] = range.split(";").map((part) => part.trim());
    return type === "text/event-stream" && !parameters.some((one) => /^q=0(\.0*)?$/.test(one));
  });
}
