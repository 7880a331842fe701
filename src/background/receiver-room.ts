import type { Clock } from "../domain/clock.ts";

/** How many attempts may be in progress at each receiver. That depends on the attempts before. */
export interface ReceiverRoom {
  /** Attempts in progress at all receivers. */
  readonly underWay: number;
  begin(receiver: string): void;
  end(receiver: string, took: number, isAcknowledged: boolean): void;
  /** How many more attempts each known receiver may get. An unknown one may get `AT_FIRST`. */
  rooms(): { receiver: string; count: number }[];
}

/** Attempts in progress at all receivers together: each has a connection and a body. */
export const MOST_UNDER_WAY = 1_000;

/** The first limit of a receiver (threat T18). */
export const AT_FIRST = 5;

/** The limit of a receiver that has acknowledged many attempts. */
const AT_MOST = 64;

/**
 * How much each acknowledgement raises the limit. With this, a receiver that answers after 1.5 s and gets 17
 * webhooks per second is less than 2 s late from its first webhook on.
 */
const GROWTH = 2;

/** A receiver is slow if its last attempt took longer than this, ms. */
const SLOW = 1_000;

/** Slow receivers together get at most this many, and leave the rest to the others. */
const MOST_AT_SLOW = MOST_UNDER_WAY / 2;

/** A receiver without an attempt for this long is unknown again, ms. */
const MEMORY = 60_000;

interface Receiver {
  limit: number;
  /** Its last attempt was slow. */
  isSlow: boolean;
  underWay: number;
  lastAt: number;
}

/**
 * Each acknowledgement raises the limit of a receiver. A slow attempt that fails halves it. So a receiver
 * that answers, however slowly, gets all its webhooks. One that hangs uses few attempts, and all slow ones
 * together at most half.
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
