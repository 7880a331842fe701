import { onAbort, throwRevoked } from "../domain/on-abort.ts";
import type { Clock } from "../domain/clock.ts";
import type { WithStop, WithWaits } from "./verb-needs.ts";
import { readingKey } from "./wait-keys.ts";

/** Something that is read again and again for all who follow it. */
export interface Reading {
  /** Who follows under the same name has the same reading. */
  readonly name: string;
  readonly read: () => Promise<Look>;
}

export interface Look {
  /** What readers get. */
  readonly text: string;
  /** Readers get the text when the mark changes. */
  readonly mark: string;
}

/** A reading that somebody follows. */
export interface SharedReading {
  readers: number;
  latest: Look | undefined;
  /** Why it cannot be read any more. */
  failure: unknown;
  /** Resolves with the first look, or the failure. */
  readonly begun: Promise<void>;
  stop(): void;
}

/** What following a reading needs. */
export interface Readings extends WithWaits, WithStop {
  readonly clock: Clock;
  /** What is being followed, by the key of its waits. */
  readonly readings: Map<string, SharedReading>;
}

/** Between two looks, ms. */
const EVERY = 1_000;

/**
 * The text, and then, each second, the text if it has changed; undefined after `silence` ms without a change.
 * However many readers follow, there is one look each second, and a slow reader gets the newest text. Ends
 * when the caller has gone or the server stops. Throws what a look throws, and the reason of a `signal` that
 * ends with an error of the caller.
 */
export async function* followReading(
  engine: Readings,
  reading: Reading,
  { silence, signal }: { readonly silence: number; readonly signal: AbortSignal },
): AsyncGenerator<string | undefined> {
  const { clock, waits, readings } = engine;
  const key = readingKey(reading.name);
  const waiting = waits.open(key);
  const unlisten = onAbort(signal, waiting.close);
  const shared = readings.get(key) ?? share(engine, key, reading);
  shared.readers++;
  try {
    await shared.begun;
    for (let told: Look | undefined; !signal.aborted && !engine.isStopping;) {
      if (shared.failure !== undefined) throw shared.failure;
      yield shared.latest === told ? undefined : shared.latest?.text;
      told = shared.latest;
      await waiting.next(clock.now() + silence);
      throwRevoked(signal);
    }
  } finally {
    unlisten();
    waiting.close();
    if (--shared.readers === 0) shared.stop();
  }
}

function share(engine: Readings, key: string, { read }: Reading): SharedReading {
  const { clock, waits, readings } = engine;
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  let isStopped = false;
  let cancel = (): void => undefined;
  const shared: SharedReading = {
    readers: 0,
    latest: undefined,
    failure: undefined,
    begun,
    stop() {
      isStopped = true;
      cancel();
      if (readings.get(key) === shared) readings.delete(key);
    },
  };

  async function look(): Promise<void> {
    try {
      const found = await read();
      if (found.mark !== shared.latest?.mark) {
        shared.latest = found;
        waits.notify(key);
      }
    } catch (error) {
      shared.failure = error;
      shared.stop();
      waits.notify(key);
    }
    begin();
    if (!isStopped) cancel = clock.after(EVERY, () => void look());
  }

  readings.set(key, shared);
  void look();
  return shared;
}
