import type { Log } from "../../domain/log.ts";
import type { Signal } from "../signals.ts";
import { array } from "./postgres-arrays.ts";
import { after, listen, openPool, type Pool, type PostgresAccess } from "./postgres-driver.ts";

/** Signals between servers: hints, which can be lost. */
export interface Notices {
  /** Notifies the other servers, with signals that come soon after. Never fails, and waits for nothing. */
  notify(signals: readonly Signal[]): void;
  close(): Promise<void>;
}

export interface NoticesOptions {
  /** What notifies; its settings may let the database lose notifications when it crashes. */
  readonly access: PostgresAccess;
  /** What listens; undefined: nothing, and this server only polls. */
  readonly listening: PostgresAccess | undefined;
  /** Called with the signals of other servers. */
  readonly onSignals: (signals: readonly Signal[]) => void;
  readonly log: Log;
}

const CHANNEL = "forebay";

/** Bytes of one notification: PostgreSQL takes less than 8,000. */
const MESSAGE_LIMIT = 7_900;

/** From one notification to the next, ms: signals that come meanwhile are sent together. */
const PAUSE = 5;

/** How often a server notifies itself, ms: a connection can be lost without a sign. */
const BEAT = 2_000;

/** A connection that ended is opened again after so long, ms. */
const LISTEN_AGAIN = 100;

/** With so many unsent signals new ones are dropped: the database is away, and all can be read later. */
const PENDING_LIMIT = 50_000;

type Entry = readonly [event: Signal["event"], endpoint: string, id: string, worker?: string];

export async function openNotices(options: NoticesOptions): Promise<Notices> {
  const notices = new DatabaseNotices(options);
  await notices.open();
  return notices;
}

class DatabaseNotices implements Notices {
  readonly #options: NoticesOptions;
  readonly #server = crypto.randomUUID();
  readonly #ownStart = messageStart(this.#server);
  readonly #pool: Pool;
  #pending: Entry[] = [];
  #isSending = false;
  #isClosed = false;
  /** A beat has not come back yet. */
  #isUnheard = false;
  /** It is in the log that nothing can be heard. */
  #isDeafLogged = false;
  #isBeating = false;
  #endListening: (() => Promise<void>) | undefined;
  #cancelBeat = (): void => undefined;

  constructor(options: NoticesOptions) {
    const { access } = options;
    this.#options = options;
    this.#pool = openPool({ ...access, settings: { ...access.settings, ...relaxed(access) } }, 1);
  }

  async open(): Promise<void> {
    await this.#startListening();
    if (this.#options.listening !== undefined) this.#planBeat(BEAT);
  }

  notify(signals: readonly Signal[]): void {
    if (this.#pending.length > PENDING_LIMIT) return;
    for (const { event, endpoint, id, worker } of signals) {
      this.#pending.push(worker === undefined ? [event, endpoint, id] : [event, endpoint, id, worker]);
    }
    void this.#sendPending();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelBeat();
    if (this.#pending.length > 0) await this.#send(this.#pending);
    await this.#endListening?.();
    await this.#pool.close();
  }

  async #sendPending(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    for (let entries = this.#takePending(); entries.length > 0; entries = this.#takePending()) {
      await this.#send(entries);
      await new Promise<void>((resolve) => void after(PAUSE, resolve));
    }
    this.#isSending = false;
  }

  #takePending(): Entry[] {
    const entries = this.#isClosed ? [] : this.#pending;
    if (!this.#isClosed) this.#pending = [];
    return entries;
  }

  async #send(entries: readonly Entry[]): Promise<void> {
    const messages = array(messagesOf(this.#server, entries));
    await this.#pool
      .query("SELECT pg_notify($1, message) FROM unnest($2::text[]) AS message", [CHANNEL, messages])
      // A hint: whoever does not get it polls.
      .catch(() => undefined);
  }

  async #startListening(): Promise<void> {
    const { listening, log } = this.#options;
    if (listening === undefined) return;
    try {
      this.#endListening = await listen(
        listening,
        CHANNEL,
        (text) => this.#onMessage(text),
        () => this.#onLost(),
      );
      if (this.#isDeafLogged) log.info("the database's notifications are heard again");
      this.#isDeafLogged = false;
      if (this.#isClosed) await this.#endListening();
    } catch (error) {
      if (this.#isDeafLogged) return;
      this.#isDeafLogged = true;
      log.warn("the database's notifications cannot be heard; what other servers do is polled", {
        error: String(error),
      });
    }
  }

  #onMessage(text: string): void {
    if (text.startsWith(this.#ownStart)) {
      this.#isUnheard = false;
      return;
    }
    const signals = parsed(text);
    if (signals.length > 0) this.#options.onSignals(signals);
  }

  #onLost(): void {
    this.#endListening = undefined;
    if (!this.#isBeating) this.#planBeat(LISTEN_AGAIN);
  }

  #planBeat(ms: number): void {
    this.#cancelBeat();
    if (!this.#isClosed) this.#cancelBeat = after(ms, () => void this.#beat());
  }

  async #beat(): Promise<void> {
    this.#isBeating = true;
    if (this.#isUnheard || this.#endListening === undefined) {
      const lost = this.#endListening;
      this.#endListening = undefined;
      await lost?.().catch(() => undefined);
      if (!this.#isClosed) await this.#startListening();
    }
    this.#isUnheard = true;
    await this.#send([]);
    this.#isBeating = false;
    this.#planBeat(BEAT);
  }
}

/** A notification is worth nothing after a crash, so its commit need not wait for the disk. */
function relaxed({ isPrepared }: PostgresAccess): Record<string, string> {
  return isPrepared ? { synchronous_commit: "off" } : {};
}

/** As few messages as hold the entries; one without any when there are none. */
function messagesOf(server: string, entries: readonly Entry[]): string[] {
  const messages: string[] = [];
  let parts: string[] = [];
  let size = 0;
  for (const entry of entries) {
    const part = JSON.stringify(entry);
    const bytes = Buffer.byteLength(part) + 1;
    if (size + bytes > MESSAGE_LIMIT - server.length - 8) {
      messages.push(messageOf(server, parts));
      parts = [];
      size = 0;
    }
    parts.push(part);
    size += bytes;
  }
  return [...messages, messageOf(server, parts)];
}

function messageOf(server: string, parts: readonly string[]): string {
  return `${messageStart(server)}[${parts.join(",")}]]`;
}

function messageStart(server: string): string {
  return `["${server}",`;
}

/** Nothing if another program wrote the text. */
function parsed(text: string): Signal[] {
  try {
    const [, entries] = JSON.parse(text);
    return entries.map(([event, endpoint, id, worker]: Entry) => ({ event, endpoint, id, worker }));
  } catch {
    return [];
  }
}
