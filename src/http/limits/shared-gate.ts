import { creditOf, EXACT_LIMIT, RATE_WINDOW } from "../../domain/rate-limits.ts";
import type { SharedCounting, SharedRate } from "../../engine/rate-sharing.ts";
import type { Gate, GateLimit, Refusal } from "./gate.ts";
import { addReport, type CountsAnswer, merged, NO_COUNTS, type SharedCounts } from "./shared-counts.ts";
import { SlidingWindow, type WindowEntry } from "./sliding-window.ts";

/** A request that waits for the answer of the database. One without a limit only tells others what is new. */
interface Ask {
  readonly limit: GateLimit | undefined;
  readonly resolve: (refusal: Refusal) => void;
  readonly reject: (error: unknown) => void;
}

/** Times of large limits are shared in slices of this many ms. */
const SLICE = 50;

/** After a refusal because of what others have in flight, the next requests are refused for this long, ms. */
const FULL_FOR = 50;

/** How long the shared counts remember requests in flight, ms: no request waits as long as that. */
const IN_FLIGHT_KEPT = 3_600_000;

/**
 * The gate of a server that shares its data with others (decision 0017). It lets requests in at once while
 * the known counts allow it, and while the others miss no more of its requests than its credit. Otherwise it
 * asks the database, once for all requests that wait. Limits up to 100 have no credit. A server that is alone
 * has unlimited credit, and never asks.
 */
export class SharedGate implements Gate {
  readonly #sharing: SharedCounting;
  /** All requests that this server knows: its own, and those that others have told. */
  #window = new SlidingWindow(RATE_WINDOW);
  /** The latest time in `#window`. */
  #latest = 0;
  /** Requests that were let in here and that the others do not know; then those that they are being told. */
  #own = new SlidingWindow(RATE_WINDOW);
  #telling = new SlidingWindow(RATE_WINDOW);
  /** What all servers know, for the case that the database has lost it. */
  #counts: SharedCounts = NO_COUNTS;
  /** The limit of the last request. */
  #limit: GateLimit = { requests: 0, concurrent: undefined };
  #inFlight = 0;
  /** The most requests in flight since the last call of `tellChanges`. */
  #peakInFlight = 0;
  /** How many in flight the others allow for, and how many they have themselves. */
  #toldInFlight = 0;
  #othersInFlight = 0;
  #fullUntil = 0;
  #waiting: Ask[] = [];
  /** How many requests the database is being asked for. */
  #asked = 0;
  #isAsking = false;

  constructor(sharing: SharedCounting) {
    this.#sharing = sharing;
  }

  enter(limit: GateLimit, now: number): Refusal | Promise<Refusal> {
    this.#limit = limit;
    const { requests, concurrent } = limit;
    if (this.#window.count(now) >= requests) return "requests";
    const isFull = concurrent !== undefined && (this.#inFlight >= concurrent || now < this.#fullUntil);
    if (isFull) return "concurrent";
    const credit = this.#creditFor(requests);
    const mustAsk = this.#asked > 0 || this.#untold(now) >= credit || !this.#hasRoomFor(concurrent);
    if (mustAsk) return this.#ask(limit);
    this.#letIn(now);
    // Early enough, before the credit is used up. If it fails, the next request asks.
    if (!this.#isAsking && this.#untold(now) * 2 >= credit) void this.#ask(undefined).catch(() => undefined);
    return undefined;
  }

  leave(): Promise<void> | undefined {
    this.#inFlight--;
    this.#fullUntil = 0;
    // Others wait for the place only if the limit is exact.
    if (this.#creditFor(this.#limit.concurrent) > 0) return undefined;
    // If it fails, the next `tellChanges` tells it.
    return this.#ask(undefined).then(
      () => undefined,
      () => undefined,
    );
  }

  remaining(requests: number, now: number): number {
    return Math.max(0, requests - this.#window.count(now));
  }

  roomIn(requests: number, now: number): number {
    return this.#window.roomIn(requests, now);
  }

  oldestLeavesIn(now: number): number {
    return this.#window.roomIn(this.#window.count(now), now);
  }

  isIdle(now: number): boolean {
    const hasRequests = this.#inFlight > 0 || this.#toldInFlight > 0 || this.#window.count(now) > 0;
    return !hasRequests && !this.#isAsking;
  }

  /** Tells the others everything that they do not know, if it is more than the credit. */
  async tellExcess(): Promise<void> {
    const isTold = this.#inFlight <= this.#toldInFlight + this.#creditFor(this.#limit.concurrent);
    const isWithinCredit = this.#untold(this.#sharing.clock.now()) <= this.#creditFor(this.#limit.requests);
    if (!isWithinCredit || !isTold) await this.#ask(undefined);
  }

  /** Tells the others if they allow for more in flight than there is; with that, everything else too. */
  async tellChanges(): Promise<void> {
    const needed = Math.max(this.#inFlight, this.#peakInFlight);
    this.#peakInFlight = this.#inFlight;
    const isTooMuch = needed === 0 || this.#toldInFlight > needed + this.#creditFor(this.#limit.concurrent);
    if (this.#toldInFlight > 0 && isTooMuch) await this.#ask(undefined);
  }

  #untold(now: number): number {
    return this.#own.count(now) + this.#telling.count(now);
  }

  #creditFor(most: number | undefined): number {
    return most === undefined ? Number.POSITIVE_INFINITY : creditOf(most, this.#sharing.others());
  }

  /** Whether one more may be in flight, as far as this server knows. */
  #hasRoomFor(concurrent: number | undefined): boolean {
    if (concurrent === undefined || this.#sharing.others() === 0) return true;
    const isCovered = this.#inFlight < this.#toldInFlight + this.#creditFor(concurrent);
    return isCovered && this.#inFlight + this.#othersInFlight < concurrent;
  }

  #letIn(now: number): void {
    this.#own.add(now);
    this.#latest = Math.max(this.#latest, now);
    this.#window.add(this.#latest);
    this.#inFlight++;
    this.#peakInFlight = Math.max(this.#peakInFlight, this.#inFlight);
  }

  #ask(limit: GateLimit | undefined): Promise<Refusal> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ limit, resolve, reject });
      if (!this.#isAsking) void this.#askAll();
    });
  }

  async #askAll(): Promise<void> {
    this.#isAsking = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      this.#asked = batch.filter((one) => one.limit !== undefined).length;
      try {
        const refusals = await this.#exchange(batch);
        for (const [index, one] of batch.entries()) one.resolve(refusals[index]);
      } catch (error) {
        for (const one of batch) one.reject(error);
      }
      this.#asked = 0;
    }
    this.#isAsking = false;
  }

  /** Tells all that is untold, and lets in the waiting requests that have room, in one write. */
  async #exchange(batch: readonly Ask[]): Promise<Refusal[]> {
    const { name, clock } = this.#sharing;
    const started = clock.now();
    this.#telling = windowOf(merged(this.#telling.entries(started), this.#own.entries(started), 1));
    this.#own = new SlidingWindow(RATE_WINDOW);
    const asks = batch.map((one) => one.limit).filter((one) => one !== undefined);
    for (;;) {
      const row = await this.#sharing.rate();
      const now = clock.now();
      const known = row === undefined ? this.#counts : countsOf(row);
      const answer = this.#reported(known, asks, now);
      const isNews =
        this.#telling.count(now) > 0 ||
        answer.refusals.includes(undefined) ||
        answer.toldInFlight !== (known.inFlight[name] ?? 0);
      // While it is being written, the others may allow for less already.
      this.#toldInFlight = Math.min(this.#toldInFlight, answer.toldInFlight);
      if (isNews && !(await this.#write(row, answer.counts, now))) continue;
      this.#adopt(answer);
      let next = 0;
      return batch.map((one) => (one.limit === undefined ? undefined : answer.refusals[next++]));
    }
  }

  /** The counts with what this server adds to them. */
  #reported(known: SharedCounts, asks: readonly GateLimit[], now: number): CountsAnswer {
    const { name, isGone } = this.#sharing;
    return addReport(known, {
      server: name,
      now,
      used: this.#telling.entries(now),
      inFlight: this.#inFlight,
      peakInFlight: this.#peakInFlight,
      concurrent: this.#limit.concurrent,
      asks,
      slice: this.#limit.requests <= EXACT_LIMIT ? 1 : SLICE,
      isGone,
    });
  }

  #write(row: SharedRate | undefined, changed: SharedCounts, now: number): Promise<boolean> {
    const version = (row?.version ?? 0) + 1;
    return this.#sharing.putRate({ version, body: JSON.stringify(changed), until: endOf(changed, now) });
  }

  /** From now on the counts are those that the database has. */
  #adopt({ counts, refusals, toldInFlight }: CountsAnswer): void {
    const { name, clock } = this.#sharing;
    const now = clock.now();
    this.#toldInFlight = toldInFlight;
    this.#counts = counts;
    this.#othersInFlight = inFlightOf(counts) - (counts.inFlight[name] ?? 0);
    this.#telling = new SlidingWindow(RATE_WINDOW);
    this.#window = windowOf(merged(counts.used, this.#own.entries(now), 1));
    this.#latest = Math.max(this.#latest, counts.used.at(-1)?.[0] ?? 0);
    this.#inFlight += refusals.filter((refusal) => refusal === undefined).length;
    this.#peakInFlight = Math.max(this.#peakInFlight, this.#inFlight);
    if (refusals.includes("concurrent")) this.#fullUntil = now + FULL_FOR;
  }
}

function windowOf(entries: readonly WindowEntry[]): SlidingWindow {
  const window = new SlidingWindow(RATE_WINDOW);
  for (const [time, requests] of entries) window.add(time, requests);
  return window;
}

function countsOf({ body }: SharedRate): SharedCounts {
  // Only servers write it.
  return JSON.parse(body);
}

function inFlightOf({ inFlight }: SharedCounts): number {
  return Object.values(inFlight).reduce((sum, requests) => sum + requests, 0);
}

function endOf({ used, inFlight }: SharedCounts, now: number): number {
  const last = (used.at(-1)?.[0] ?? now) + RATE_WINDOW;
  return Object.keys(inFlight).length === 0 ? last : now + IN_FLIGHT_KEPT;
}
