import type { Log } from "../../domain/log.ts";
import type { Signal } from "../signals.ts";
import { array } from "./postgres-arrays.ts";
import { after, listen, openPool, type PostgresAccess } from "./postgres-driver.ts";

/** Signals between servers: hints, which can be lost. */
export interface Notices {
  /** Tells the other servers, together with what else comes soon. Never fails, and waits for nothing. */
  tell(signals: readonly Signal[]): void;
  close(): Promise<void>;
}

export interface NoticesOptions {
  /** What tells; its settings may let the database forget what was told when it crashes. */
  readonly access: PostgresAccess;
  /** What listens; undefined: nothing, and others are heard of by polling alone. */
  readonly listening: PostgresAccess | undefined;
  /** What other servers tell. */
  readonly onSignals: (signals: readonly Signal[]) => void;
  readonly log: Log;
}

const CHANNEL = "forebay";

/** Bytes of one notification: PostgreSQL takes less than 8,000. */
const MESSAGE_LIMIT = 7_900;

/** From one telling to the next, ms: what comes meanwhile goes together. */
const PAUSE = 5;

/** How often a server tells something, if only to hear it: a connection can be lost without a sign. ms. */
const BEAT = 2_000;

/** A connection that was seen to end is opened anew after so long, ms. */
const LISTEN_AGAIN = 100;

/** More than this that is not yet told is dropped: the database is away, and all of it can be read. */
const PENDING_LIMIT = 50_000;

type Entry = readonly [event: Signal["event"], endpoint: string, id: string, worker?: string];

export async function openNotices(options: NoticesOptions): Promise<Notices> {
  const { access, listening, onSignals, log } = options;
  const server = crypto.randomUUID();
  const pool = openPool({ ...access, settings: { ...access.settings, ...relaxed(access) } }, 1);
  let pending: Entry[] = [];
  let isTelling = false;
  let isClosed = false;
  /** A beat has not come back yet. */
  let isUnheard = false;
  /** It is in the log that nothing can be heard. */
  let isDeafLogged = false;
  let isBeating = false;
  let endListening: (() => Promise<void>) | undefined;
  let cancelBeat = (): void => undefined;

  const ownStart = messageStart(server);

  function onMessage(text: string): void {
    if (text.startsWith(ownStart)) {
      isUnheard = false;
      return;
    }
    const signals = parsed(text);
    if (signals.length > 0) onSignals(signals);
  }

  async function startListening(): Promise<void> {
    if (listening === undefined) return;
    try {
      endListening = await listen(listening, CHANNEL, onMessage, onLost);
      if (isDeafLogged) log.info("the database's notifications are heard again");
      isDeafLogged = false;
      if (isClosed) await endListening();
    } catch (error) {
      if (isDeafLogged) return;
      isDeafLogged = true;
      log.warn("the database's notifications cannot be heard; what other servers do is polled", {
        error: String(error),
      });
    }
  }

  function onLost(): void {
    endListening = undefined;
    if (!isBeating) planBeat(LISTEN_AGAIN);
  }

  async function tellPending(): Promise<void> {
    if (isTelling) return;
    isTelling = true;
    for (let entries = takePending(); entries.length > 0; entries = takePending()) {
      await send(entries);
      await new Promise<void>((resolve) => void after(PAUSE, resolve));
    }
    isTelling = false;
  }

  function takePending(): Entry[] {
    const entries = isClosed ? [] : pending;
    if (!isClosed) pending = [];
    return entries;
  }

  async function send(entries: readonly Entry[]): Promise<void> {
    const messages = array(messagesOf(server, entries));
    await pool
      .query("SELECT pg_notify($1, message) FROM unnest($2::text[]) AS message", [CHANNEL, messages])
      // A hint: whoever does not get it polls.
      .catch(() => undefined);
  }

  function planBeat(ms: number): void {
    cancelBeat();
    if (!isClosed) cancelBeat = after(ms, () => void beat());
  }

  async function beat(): Promise<void> {
    isBeating = true;
    if (isUnheard || endListening === undefined) {
      const lost = endListening;
      endListening = undefined;
      await lost?.().catch(() => undefined);
      if (!isClosed) await startListening();
    }
    isUnheard = true;
    await send([]);
    isBeating = false;
    planBeat(BEAT);
  }

  await startListening();
  if (listening !== undefined) planBeat(BEAT);

  return {
    tell(signals) {
      if (pending.length > PENDING_LIMIT) return;
      for (const { event, endpoint, id, worker } of signals) {
        pending.push(worker === undefined ? [event, endpoint, id] : [event, endpoint, id, worker]);
      }
      void tellPending();
    },

    async close() {
      isClosed = true;
      cancelBeat();
      if (pending.length > 0) await send(pending);
      await endListening?.();
      await pool.close();
    },
  };
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

/** None of what no Forebay has written. */
function parsed(text: string): Signal[] {
  try {
    const [, entries] = JSON.parse(text);
    return entries.map(([event, endpoint, id, worker]: Entry) => ({ event, endpoint, id, worker }));
  } catch {
    return [];
  }
}
