import type { Clock } from "../domain/clock.ts";
import type { AddedChunks } from "../store/signals.ts";

/** A wait for changes of one thing: whoever waits looks again after each signal. */
export interface Waiting {
  /**
   * Resolves with true at the next signal, or at once if one came since the last call; with false when
   * `until` is reached or the wait is closed.
   */
  next(until: number): Promise<boolean>;
  close(): void;
}

/**
 * Called at each signal, with what was added, or undefined where it has to be read. If it answers true, all
 * is done, and the wait goes on.
 */
type OnNotice = (added: AddedChunks | undefined) => boolean;

/**
 * Who waits for what, by key. Open a wait before reading what it waits for: then no change falls in between.
 */
export interface Waits {
  open(key: string, onNotice?: OnNotice): Waiting;
  /** Something happened to what `key` names: `added`, or what has to be read. */
  notify(key: string, added?: AddedChunks): void;
  /** The same for all keys that begin like this. */
  notifyAll(beginning: string): void;
  /** The keys of all waits that begin like this. */
  keys(beginning: string): string[];
  /** Ends every wait, and every later one at once: the server stops. */
  stop(): void;
}

export function waits(clock: Clock): Waits {
  const open = new Map<string, Set<OpenWait>>();
  let isStopped = false;

  function add(wait: OpenWait): void {
    const present = open.get(wait.key);
    if (present === undefined) open.set(wait.key, new Set([wait]));
    else present.add(wait);
  }

  function remove(wait: OpenWait): void {
    const present = open.get(wait.key);
    present?.delete(wait);
    if (present?.size === 0) open.delete(wait.key);
  }

  function notify(key: string, added?: AddedChunks): void {
    for (const wait of open.get(key) ?? []) wait.notify(added);
  }

  function keys(beginning: string): string[] {
    return [...open.keys()].filter((key) => key.startsWith(beginning));
  }

  return {
    open(key, onNotice) {
      const wait = new OpenWait(clock, key, onNotice, remove);
      if (isStopped) wait.close();
      else add(wait);
      return wait;
    },

    notify,

    notifyAll(beginning) {
      for (const key of keys(beginning)) notify(key);
    },

    keys,

    stop() {
      isStopped = true;
      for (const present of open.values()) for (const wait of present) wait.close();
    },
  };
}

/** One object: thousands of calls wait. */
class OpenWait implements Waiting {
  readonly key: string;
  readonly #clock: Clock;
  readonly #onNotice: OnNotice | undefined;
  readonly #onClose: (wait: OpenWait) => void;
  #isSignalled = false;
  #isClosed = false;
  /** Ends the `next` that waits now. */
  #settle: ((signalled: boolean) => void) | undefined;

  constructor(clock: Clock, key: string, onNotice: OnNotice | undefined, onClose: (wait: OpenWait) => void) {
    this.#clock = clock;
    this.key = key;
    this.#onNotice = onNotice;
    this.#onClose = onClose;
  }

  next(until: number): Promise<boolean> {
    return new Promise((resolve) => {
      const remaining = until - this.#clock.now();
      if (this.#isSignalled || this.#isClosed || remaining <= 0) {
        resolve(this.#isSignalled && !this.#isClosed);
        this.#isSignalled = false;
        return;
      }
      const stopTimer = this.#clock.after(remaining, () => this.#settle?.(false));
      this.#settle = (signalled) => {
        this.#settle = undefined;
        stopTimer();
        if (signalled) this.#isSignalled = false;
        resolve(signalled);
      };
    });
  }

  notify(added: AddedChunks | undefined): void {
    if (this.#onNotice?.(added) === true) return;
    this.#isSignalled = true;
    this.#settle?.(true);
  }

  /** Handed on as a listener, so it is bound. */
  readonly close = (): void => {
    this.#isClosed = true;
    this.#onClose(this);
    this.#settle?.(false);
  };
}
