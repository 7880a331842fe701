import type { Clock } from "../../domain/clock.ts";
import { effectiveRequests, type RateLimit } from "../../domain/rate-limits.ts";
import type { RateSharing } from "../../engine/rate-sharing.ts";
import type { Call } from "../call.ts";
import { type Gate, gate } from "./gate.ts";
import { type Entry, rateLimitHeaders, refused } from "./limit-answer.ts";
import { SharedGate } from "./shared-gate.ts";

/** Whose requests count together: an endpoint or an account. */
interface Subject {
  readonly gates: Map<string, Gate>;
  /** How many workers run; asked for when the base limit is used up. */
  running: { readonly at: number; readonly workers: Promise<number> } | undefined;
}

/** The number of running workers is cached for this long, ms: refusals must cost nothing. */
const RUNNING_AGE = 100;

/** How often unused gates are dropped, ms. */
const SWEEP_EVERY = 60_000;

/** Holds requests to their limits (spec 8). Counts of this server are in memory: a restart begins anew. */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #runningWorkers: (subject: string) => Promise<number>;
  readonly #sharing: RateSharing | undefined;
  readonly #subjects = new Map<string, Subject>();
  #nextSweep = 0;

  /**
   * `runningWorkers` answers how many workers of a subject have a job, as health does. `sharing` is undefined
   * if no other server shares the data.
   */
  constructor(clock: Clock, runningWorkers: (subject: string) => Promise<number>, sharing?: RateSharing) {
    this.#clock = clock;
    this.#runningWorkers = runningWorkers;
    this.#sharing = sharing;
  }

  /**
   * Counts a request of `subject` and answers it with `handle`. Throws RATE_LIMITED and TOO_MANY_AT_ONCE;
   * then the request is not counted and nothing was done. The headers of the call show the limit and what is
   * left of it. The request is in flight until its whole answer has been sent.
   */
  async limit<Answer>(
    call: Pick<Call, "answered" | "headers">,
    subject: string,
    operation: string,
    limit: RateLimit,
    handle: () => Answer | Promise<Answer>,
  ): Promise<Answer> {
    const entering = this.#enter(subject, operation, limit);
    const entry = entering instanceof Promise ? await entering : entering;
    if (entry.refusal !== undefined) throw refused(operation, limit, entry, this.#clock.now());
    try {
      const answer = await handle();
      const shown = rateLimitHeaders(operation, entry, this.#clock.now());
      call.headers["ratelimit-policy"] = shown["ratelimit-policy"];
      call.headers["ratelimit"] = shown.ratelimit;
      return answer;
    } finally {
      if (call.answered === undefined) {
        const leaving = entry.gate.leave();
        if (leaving !== undefined) await leaving;
      } else void call.answered.then(() => entry.gate.leave());
    }
  }

  /** There are more servers than before: tells them the counts that they must know from now on. */
  tellExcess(): Promise<void> {
    return this.#ofShared((shared) => shared.tellExcess());
  }

  /** Tells other servers which requests they need not allow for any more. Called from time to time. */
  tellChanges(): Promise<void> {
    return this.#ofShared((shared) => shared.tellChanges());
  }

  /** A promise only if other servers are asked, or if running workers can raise the limit. */
  #enter(subject: string, operation: string, limit: RateLimit): Entry | Promise<Entry> {
    const now = this.#clock.now();
    if (now >= this.#nextSweep) this.#sweep(now);
    const base = entryOf(this.#gateOf(subject, operation), limit, limit.requests, now);
    if (!(base instanceof Promise) && base.refusal === undefined) return base;
    return this.#enterByWorkers(subject, limit, base, now);
  }

  async #enterByWorkers(
    subject: string,
    limit: RateLimit,
    entering: Entry | Promise<Entry>,
    now: number,
  ): Promise<Entry> {
    const base = await entering;
    if (base.refusal !== "requests" || limit.perWorker === 0) return base;
    const requests = effectiveRequests(limit, await this.#runningOf(subject, now));
    return entryOf(base.gate, limit, requests, this.#clock.now());
  }

  #gateOf(id: string, operation: string): Gate {
    const { gates } = this.#subjectOf(id);
    let found = gates.get(operation);
    if (found === undefined) {
      found = this.#sharing === undefined ? gate() : new SharedGate(this.#sharing(id, operation));
      gates.set(operation, found);
    }
    return found;
  }

  #subjectOf(id: string): Subject {
    let subject = this.#subjects.get(id);
    if (subject === undefined) this.#subjects.set(id, (subject = { gates: new Map(), running: undefined }));
    return subject;
  }

  #runningOf(id: string, now: number): Promise<number> {
    const subject = this.#subjectOf(id);
    if (subject.running === undefined || now >= subject.running.at + RUNNING_AGE) {
      subject.running = { at: now, workers: this.#runningWorkers(id) };
    }
    return subject.running.workers;
  }

  #sweep(now: number): void {
    this.#nextSweep = now + SWEEP_EVERY;
    for (const [id, { gates }] of this.#subjects) {
      for (const [operation, gate] of gates) if (gate.isIdle(now)) gates.delete(operation);
      if (gates.size === 0) this.#subjects.delete(id);
    }
  }

  async #ofShared(tell: (shared: SharedGate) => Promise<void>): Promise<void> {
    const told: Promise<void>[] = [];
    for (const { gates } of this.#subjects.values()) {
      for (const gate of gates.values()) if (gate instanceof SharedGate) told.push(tell(gate));
    }
    await Promise.all(told);
  }
}

function entryOf(
  gate: Gate,
  { concurrent }: RateLimit,
  requests: number,
  now: number,
): Entry | Promise<Entry> {
  const refusal = gate.enter({ requests, concurrent }, now);
  if (!(refusal instanceof Promise)) return { gate, requests, refusal };
  return refusal.then((answered) => ({ gate, requests, refusal: answered }));
}
