/** The requests of the last `length` ms, counted exactly: time is whole milliseconds, and so is the count. */
export interface SlidingWindow {
  /** How many there were in the `length` ms before `now`. */
  count(now: number): number;
  /** `time` must not be before that of an earlier call of `add`, nor of a later question. */
  add(time: number, requests?: number): void;
  /** What is counted, in the order of the times. */
  entries(now: number): WindowEntry[];
  /** Milliseconds until fewer than `limit` are left, if none is added; 0 when there are now. */
  roomIn(limit: number, now: number): number;
}

/** So many requests came at this time. */
export type WindowEntry = readonly [time: number, requests: number];

const FIRST_CAPACITY = 16;

/**
 * Keeps how many requests came in each millisecond that had any, in a ring: 12 bytes for each of these, and
 * no more of them than `length`, however high the limit. A request that came at t counts until t + length.
 */
export function slidingWindow(length: number): SlidingWindow {
  // A power of two, so that a place in the ring is a mask away.
  let mask = FIRST_CAPACITY - 1;
  let times = new Float64Array(FIRST_CAPACITY);
  let counts = new Uint32Array(FIRST_CAPACITY);
  let first = 0;
  let used = 0;
  let total = 0;

  function forgetUntil(time: number): void {
    while (used > 0 && (times[first] ?? 0) <= time) {
      total -= counts[first] ?? 0;
      first = (first + 1) & mask;
      used--;
    }
  }

  function grow(): void {
    const capacity = (mask + 1) * 2;
    const moved = { times: new Float64Array(capacity), counts: new Uint32Array(capacity) };
    for (let index = 0; index < used; index++) {
      moved.times[index] = times[(first + index) & mask] ?? 0;
      moved.counts[index] = counts[(first + index) & mask] ?? 0;
    }
    ({ times, counts } = moved);
    mask = capacity - 1;
    first = 0;
  }

  return {
    count(now) {
      forgetUntil(now - length);
      return total;
    },

    add(time, requests = 1) {
      forgetUntil(time - length);
      total += requests;
      const last = (first + used - 1) & mask;
      if (used > 0 && times[last] === time) {
        counts[last] = (counts[last] ?? 0) + requests;
        return;
      }
      if (used > mask) grow();
      const next = (first + used) & mask;
      times[next] = time;
      counts[next] = requests;
      used++;
    },

    entries(now) {
      forgetUntil(now - length);
      return Array.from({ length: used }, (_, index) => {
        const place = (first + index) & mask;
        return [times[place] ?? 0, counts[place] ?? 0];
      });
    },

    roomIn(limit, now) {
      forgetUntil(now - length);
      let left = total;
      for (let index = 0; left >= limit && index < used; index++) {
        const place = (first + index) & mask;
        left -= counts[place] ?? 0;
        if (left < limit) return (times[place] ?? 0) + length - now;
      }
      return 0;
    },
  };
}
