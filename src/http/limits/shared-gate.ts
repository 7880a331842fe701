import { creditOf, EXACT_LIMIT, RATE_WINDOW } from "../../domain/rate-limits.ts";
import type { SharedCounting, SharedRate } from "../../engine/rate-sharing.ts";
import type { Gate, GateLimit, Refusal } from "./gate.ts";
import { addReport, merged, NO_COUNTS, type SharedCounts } from "./shared-counts.ts";
import { slidingWindow, type SlidingWindow, type WindowEntry } from "./sliding-window.ts";

/** The part of a gate that lies on this server; the rest is shared (decision 0017). */
export interface SharedGate extends Gate {
  /** Tells the others everything that they do not know, if it is more than they must allow for. */
  tellExcess(): Promise<void>;
  /** The same, and what is over. */
  tellChanges(): Promise<void>;
}

/** A request that waits for the answer of the database, or what is only to be told. */
interface Ask {
  readonly limit: GateLimit | undefined;
  readonly resolve: (refusal: Refusal) => void;
  readonly reject: (error: unknown) => void;
}

/** Times of large limits are shared to so many ms. */
const SLICE = 50;

/** After a refusal for what others have in flight the next ones are not asked for, ms. */
const FULL_FOR = 50;

/** What requests in flight are remembered for: none waits as long as that, ms. */
const IN_FLIGHT_KEPT = 3_600_000;

/**
 * A server lets in at once what the limit allows as far as it knows, up to its credit, of which others need
 * not know; beyond it asks the database, for all that wait together. Limits up to 100 have no credit. A
 * server alone has any, and never asks.
 */
export function sharedGate(sharing: SharedCounting): SharedGate {
  const { name, clock, isGone } = sharing;
  /** All that is known of: what others have told, and all of this server's. */
  let window = slidingWindow(RATE_WINDOW);
  let latest = 0;
  /** What was let in here and others do not know; what they are being told. */
  let own = slidingWindow(RATE_WINDOW);
  let telling = slidingWindow(RATE_WINDOW);
  /** What all know, to begin with when the database has lost it. */
  let counts: SharedCounts = NO_COUNTS;
  let limit: GateLimit = { requests: 0, concurrent: undefined };
  let inFlight = 0;
  /** How many in flight the others allow for, and how many they have themselves. */
  let toldInFlight = 0;
  let othersInFlight = 0;
  /** The most there were since the last look. */
  let peakInFlight = 0;
  let fullUntil = 0;
  let waiting: Ask[] = [];
  let asked = 0;
  let isAsking = false;

  const untold = (now: number): number => own.count(now) + telling.count(now);
  const creditFor = (most: number | undefined): number =>
    most === undefined ? Number.POSITIVE_INFINITY : creditOf(most, sharing.others());

  /** For one more in flight; others may have had less for a while. */
  function hasRoomFor(concurrent: number | undefined): boolean {
    if (concurrent === undefined || sharing.others() === 0) return true;
    return inFlight < toldInFlight + creditFor(concurrent) && inFlight + othersInFlight < concurrent;
  }

  function letIn(now: number): void {
    own.add(now);
    latest = Math.max(latest, now);
    window.add(latest);
    inFlight++;
    peakInFlight = Math.max(peakInFlight, inFlight);
  }

  function ask(asking: GateLimit | undefined): Promise<Refusal> {
    return new Promise((resolve, reject) => {
      waiting.push({ limit: asking, resolve, reject });
      if (!isAsking) void askAll();
    });
  }

  async function askAll(): Promise<void> {
    isAsking = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      asked = batch.filter((one) => one.limit !== undefined).length;
      try {
        const refusals = await exchange(batch);
        for (const [index, one] of batch.entries()) one.resolve(refusals[index]);
      } catch (error) {
        for (const one of batch) one.reject(error);
      }
      asked = 0;
    }
    isAsking = false;
  }

  /** Tells what is untold and lets in, of those that wait, what has room: all or nothing, in one change. */
  async function exchange(batch: readonly Ask[]): Promise<Refusal[]> {
    const started = clock.now();
    telling = windowOf(merged(telling.entries(started), own.entries(started), 1));
    own = slidingWindow(RATE_WINDOW);
    const asks = batch.map((one) => one.limit).filter((one) => one !== undefined);
    for (;;) {
      const row = await sharing.rate();
      const now = clock.now();
      const known = row === undefined ? counts : countsOf(row);
      const answer = addReport(known, {
        server: name,
        now,
        used: telling.entries(now),
        inFlight,
        peakInFlight,
        concurrent: limit.concurrent,
        asks,
        slice: limit.requests <= EXACT_LIMIT ? 1 : SLICE,
        isGone,
      });
      const isNews =
        telling.count(now) > 0 ||
        answer.refusals.includes(undefined) ||
        answer.toldInFlight !== (known.inFlight[name] ?? 0);
      // While it is written, others may allow for less already.
      toldInFlight = Math.min(toldInFlight, answer.toldInFlight);
      if (isNews && !(await write(row, answer.counts, now))) continue;
      toldInFlight = answer.toldInFlight;
      return adopt(batch, answer.counts, answer.refusals);
    }
  }

  function write(row: SharedRate | undefined, changed: SharedCounts, now: number): Promise<boolean> {
    const version = (row?.version ?? 0) + 1;
    return sharing.putRate({ version, body: JSON.stringify(changed), until: endOf(changed, now) });
  }

  function adopt(batch: readonly Ask[], shared: SharedCounts, refusals: readonly Refusal[]): Refusal[] {
    const now = clock.now();
    counts = shared;
    othersInFlight = inFlightOf(shared) - (shared.inFlight[name] ?? 0);
    telling = slidingWindow(RATE_WINDOW);
    window = windowOf(merged(counts.used, own.entries(now), 1));
    latest = Math.max(latest, counts.used.at(-1)?.[0] ?? 0);
    const admitted = refusals.filter((refusal) => refusal === undefined).length;
    inFlight += admitted;
    peakInFlight = Math.max(peakInFlight, inFlight);
    if (refusals.includes("concurrent")) fullUntil = now + FULL_FOR;
    let next = 0;
    return batch.map((one) => (one.limit === undefined ? undefined : refusals[next++]));
  }

  return {
    enter(given, now) {
      limit = given;
      const { requests, concurrent } = given;
      if (window.count(now) >= requests) return "requests";
      if (concurrent !== undefined && (inFlight >= concurrent || now < fullUntil)) return "concurrent";
      const credit = creditFor(requests);
      if (asked > 0 || untold(now) >= credit || !hasRoomFor(concurrent)) return ask(given);
      letIn(now);
      // In good time before the credit is used up; when it fails, the next request asks.
      if (!isAsking && untold(now) * 2 >= credit) void ask(undefined).catch(() => undefined);
      return undefined;
    },

    leave() {
      inFlight--;
      fullUntil = 0;
      // Others wait for the room that an exact limit has now.
      if (creditFor(limit.concurrent) > 0) return undefined;
      // When it fails, the next look tells it.
      return ask(undefined).then(
        () => undefined,
        () => undefined,
      );
    },

    remaining: (requests, now) => Math.max(0, requests - window.count(now)),
    roomIn: (requests, now) => window.roomIn(requests, now),
    oldestLeavesIn: (now) => window.roomIn(window.count(now), now),
    isIdle: (now) => inFlight === 0 && toldInFlight === 0 && !isAsking && window.count(now) === 0,

    async tellExcess() {
      const isTold = inFlight <= toldInFlight + creditFor(limit.concurrent);
      if (untold(clock.now()) > creditFor(limit.requests) || !isTold) await ask(undefined);
    },

    async tellChanges() {
      const needed = Math.max(inFlight, peakInFlight);
      peakInFlight = inFlight;
      const isTooMuch = needed === 0 || toldInFlight > needed + creditFor(limit.concurrent);
      if (toldInFlight > 0 && isTooMuch) await ask(undefined);
    },
  };
}

function windowOf(entries: readonly WindowEntry[]): SlidingWindow {
  const made = slidingWindow(RATE_WINDOW);
  for (const [time, requests] of entries) made.add(time, requests);
  return made;
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
