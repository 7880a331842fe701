import type { Call } from "./call.ts";
import { goingReply } from "./going-reply.ts";
import type { Part, Reply } from "./reply.ts";

/** A comment: it keeps the connection from being closed as idle, and no reader sees it. */
export const COMMENT = ": \n\n";

/** So many comments may find a connection on which nothing moves; then it is closed. */
const UNREAD_COMMENTS = 4;

/** The runtime looks every 4 s, and takes less than two looks for none, s. */
const SHORTEST_SILENCE = 8;

/** What the runtime can count, s. */
const LONGEST_SILENCE = 255;

/** Proxies are told to hold nothing back. */
const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
};

/** What the runtime answers to a `yield` of a body: it writes to the connection. */
export interface Connection {
  /** A promise where the reader has not taken what was written before; it resolves when that has left. */
  write(data: Part): number | Promise<number>;
  flush(): unknown;
}

/** A body whose yields are answered with its connection. */
export type ConnectedParts = AsyncGenerator<Part, void, Connection>;

/**
 * Sends events to a reader while the generator of its body waits: at once, and without a promise for each.
 * With many readers each has its events before those of the next one are made.
 */
export class DirectEvents {
  #connection: Connection | undefined;
  #isBehind = false;

  /** To be called when all that was yielded before has been written. */
  connect(connection: Connection): void {
    this.#connection = connection;
  }

  /**
   * Sends what `make` makes. False when the generator has to: the reader has not taken what was sent before,
   * or `make` answers undefined. An error that keeps anything from being sent comes again there.
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
      // Of a reader that has gone the call itself learns.
      sent.then(goOn, goOn);
    }
  }
}

/**
 * 200 with Server-Sent Events (WHATWG HTML, 9.2), which leave as they come. A reader that takes nothing for
 * four times `silence` ms is let go; until then it holds what it has not taken, and no more is read for it.
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
  return goingReply(call, { ...HEADERS, ...headers }, events, longest);
}

/** Whether the caller asks for Server-Sent Events (RFC 9110, 12.5.1). */
export function wantsEvents({ request }: Call): boolean {
  const accepted = (request.headers.get("accept") ?? "").toLowerCase().split(",");
  return accepted.some((range) => {
    const [type, ...parameters] = range.split(";").map((part) => part.trim());
    return type === "text/event-stream" && !parameters.some((one) => /^q=0(\.0*)?$/.test(one));
  });
}
