import type { Clock } from "../domain/clock.ts";

/** How many attempts may be under way at each receiver, by what it did with those before. */
export interface ReceiverRoom {
  /** Attempts under way at all of them. */
  readonly underWay: number;
  begin(receiver: string): void;
  end(receiver: string, took: number, isAcknowledged: boolean): void;
  /** What there is room for at those that are known; at another for `AT_FIRST`. */
  rooms(): { receiver: string; count: number }[];
}

/** All together; with their connections and bodies. */
export const MOST_UNDER_WAY = 1_000;

/** At a receiver that nothing is known of (threat T18). */
export const AT_FIRST = 5;

/** At one that acknowledges all of them. */
const AT_MOST = 64;

/**
 * So many more for each acknowledgement: one that answers after 1.5 s gets what comes 17 times a second less
 * than 2 s late from its first webhook on.
 */
const GROWTH = 2;

/** An attempt that takes longer, ms, makes its receiver a slow one. */
const SLOW = 1_000;

/** Slow receivers together leave this much to the others. */
const MOST_AT_SLOW = MOST_UNDER_WAY / 2;

/** What a receiver did is forgotten after so long without an attempt, ms. */
const MEMORY = 60_000;

interface Receiver {
  limit: number;
  /** Its last attempt was slow. */
  isSlow: boolean;
  underWay: number;
  lastAt: number;
}

/**
 * More for each acknowledgement, half as many after an attempt that was slow and in vain: who answers,
 * however slowly, gets what comes; who hangs takes little room, and all slow ones together half of it.
 */
export function receiverRoom(clock: Clock): ReceiverRoom {
  const receivers = new Map<string, Receiver>();
  let underWay = 0;

  function receiverOf(name: string): Receiver {
    const known = receivers.get(name) ?? { limit: AT_FIRST, isSlow: false, underWay: 0, lastAt: 0 };
    receivers.set(name, known);
    return known;
  }

  function forget(): void {
    const before = clock.now() - MEMORY;
    for (const [name, receiver] of receivers) {
      if (receiver.underWay === 0 && receiver.lastAt < before) receivers.delete(name);
    }
  }

  return {
    get underWay() {
      return underWay;
    },

    begin(name) {
      const receiver = receiverOf(name);
      receiver.underWay++;
      receiver.lastAt = clock.now();
      underWay++;
    },

    end(name, took, isAcknowledged) {
      const receiver = receiverOf(name);
      receiver.underWay--;
      receiver.lastAt = clock.now();
      underWay--;
      receiver.isSlow = took > SLOW;
      if (isAcknowledged) receiver.limit = Math.min(AT_MOST, receiver.limit + GROWTH);
      else if (receiver.isSlow) receiver.limit = Math.max(1, Math.floor(receiver.limit / 2));
    },

    rooms() {
      forget();
      const all = [...receivers];
      const slow = all.filter(([, { isSlow }]) => isSlow);
      const atSlow = slow.reduce((sum, [, receiver]) => sum + receiver.underWay, 0);
      return all.map(([receiver, { limit, isSlow, underWay: present }]) => ({
        receiver,
        count: isSlow && atSlow >= MOST_AT_SLOW ? 0 : Math.max(0, limit - present),
      }));
    },
  };
}
