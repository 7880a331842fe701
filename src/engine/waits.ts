import type { Clock } from "../domain/clock.ts";
import type { AddedChunks } from "../store/store.ts";

/** Something that is looked at again whenever a signal says that it may have changed. */
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

type Notify = (added: AddedChunks | undefined) => void;

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
  const open = new Map<string, Set<Notify>>();
  const closers = new Set<() => void>();
  let isStopped = false;

  function add(key: string, notify: Notify): void {
    const present = open.get(key);
    if (present === undefined) open.set(key, new Set([notify]));
    else present.add(notify);
  }

  function remove(key: string, notify: Notify): void {
    const present = open.get(key);
    present?.delete(notify);
    if (present?.size === 0) open.delete(key);
  }

  function notify(key: string, added?: AddedChunks): void {
    for (const tell of open.get(key) ?? []) tell(added);
  }

  function keys(beginning: string): string[] {
    return [...open.keys()].filter((key) => key.startsWith(beginning));
  }

  return {
    open(key, onNotice) {
      let isSignalled = false;
      let isClosed = isStopped;
      let settle: ((signalled: boolean) => void) | undefined;
      const notify: Notify = (added) => {
        if (onNotice?.(added) === true) return;
        isSignalled = true;
        settle?.(true);
      };
      const close = () => {
        isClosed = true;
        remove(key, notify);
        closers.delete(close);
        settle?.(false);
      };
      add(key, notify);
      closers.add(close);

      return {
        next(until) {
          return new Promise((resolve) => {
            const remaining = until - clock.now();
            if (isSignalled || isClosed || remaining <= 0) {
              resolve(isSignalled && !isClosed);
              isSignalled = false;
              return;
            }
            const stopTimer = clock.after(remaining, () => settle?.(false));
            settle = (signalled) => {
              settle = undefined;
              stopTimer();
              if (signalled) isSignalled = false;
              resolve(signalled);
            };
          });
        },
        close,
      };
    },

    notify,

    notifyAll(beginning) {
      for (const key of keys(beginning)) notify(key);
    },

    keys,

    stop() {
      isStopped = true;
      for (const close of closers) close();
    },
  };
}
