/** How many requests came at this time. */
export type WindowEntry = readonly [time: number, requests: number];

const FIRST_CAPACITY = 16;

/**
 * The requests of the last `length` ms, counted exactly: time is whole milliseconds, and a request at time t
 * counts until t + length. A ring has 12 bytes for each millisecond with a request. So it never has more than
 * `length` entries, however high the limit.
 */
export class SlidingWindow {
  readonly #length: number;
  #times = new Float64Array(FIRST_CAPACITY);
  #counts = new Uint32Array(FIRST_CAPACITY);
  /** The capacity is a power of two, so that a mask finds the place in the ring. */
  #mask = FIRST_CAPACITY - 1;
  #first = 0;
  #used = 0;
  #total = 0;

  constructor(length: number) {
    this.#length = length;
  }

  /** How many there were in the `length` ms before `now`. */
  count(now: number): number {
    this.#forgetUntil(now - this.#length);
    return this.#total;
  }

  /** `time` must not be before that of an earlier call of `add`, nor before a time that was asked about. */
  add(time: number, requests = 1): void {
    this.#forgetUntil(time - this.#length);
    this.#total += requests;
    const last = (this.#first + this.#used - 1) & this.#mask;
    if (this.#used > 0 && this.#times[last] === time) {
      this.#counts[last] = (this.#counts[last] ?? 0) + requests;
      return;
    }
    if (this.#used > this.#mask) this.#grow();
    const next = (this.#first + this.#used) & this.#mask;
    this.#times[next] = time;
    this.#counts[next] = requests;
    this.#used++;
  }

  /** What is counted, in the order of the times. */
  entries(now: number): WindowEntry[] {
    this.#forgetUntil(now - this.#length);
    return Array.from({ length: this.#used }, (_, index) => {
      const place = (this.#first + index) & this.#mask;
      return [this.#times[place] ?? 0, this.#counts[place] ?? 0];
    });
  }

  /** Milliseconds until fewer than `limit` are left, if none is added; 0 if there are fewer now. */
  roomIn(limit: number, now: number): number {
    this.#forgetUntil(now - this.#length);
    let left = this.#total;
    for (let index = 0; left >= limit && index < this.#used; index++) {
      const place = (this.#first + index) & this.#mask;
      left -= this.#counts[place] ?? 0;
      if (left < limit) return (this.#times[place] ?? 0) + this.#length - now;
    }
    return 0;
  }

  #forgetUntil(time: number): void {
    while (this.#used > 0 && (this.#times[this.#first] ?? 0) <= time) {
      this.#total -= this.#counts[this.#first] ?? 0;
      this.#first = (this.#first + 1) & this.#mask;
      this.#used--;
    }
  }

  #grow(): void {
    const capacity = (this.#mask + 1) * 2;
    const times = new Float64Array(capacity);
    const counts = new Uint32Array(capacity);
    for (let index = 0; index < this.#used; index++) {
      times[index] = this.#times[(this.#first + index) & this.#mask] ?? 0;
      counts[index] = this.#counts[(this.#first + index) & this.#mask] ?? 0;
    }
    this.#times = times;
    this.#counts = counts;
    this.#mask = capacity - 1;
    this.#first = 0;
  }
}
