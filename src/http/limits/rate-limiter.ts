import type { Clock } from "../../domain/clock.ts";
import { effectiveRequests, type RateLimit } from "../../domain/rate-limits.ts";
import type { RateSharing } from "../../engine/rate-sharing.ts";
import type { Call } from "../call.ts";
import { type Gate, gate } from "./gate.ts";
import { type Entry, rateLimitHeaders, refused } from "./limit-answer.ts";
import { type SharedGate, sharedGate } from "./shared-gate.ts";

/**
 * Holds requests to their limits (spec 8). What a server knows alone lies in memory: a restart begins anew.
 */
export interface RateLimiter {
  /**
   * Counts a request of `subject` and answers it with `handle`. Throws RATE_LIMITED and TOO_MANY_AT_ONCE;
   * then it is not counted and nothing was done. The headers of the call tell the limit and what is left of
   * it. It is in flight until it is answered whole.
   */
  limit<Answer>(
    call: Pick<Call, "answered" | "headers">,
    subject: string,
    operation: string,
    limit: RateLimit,
    handle: () => Answer | Promise<Answer>,
  ): Promise<Answer>;
  /** There are more servers than before: tells them what they have to know from now on. */
  tellExcess(): Promise<void>;
  /** Tells other servers, now and then, what they need not allow for any more. */
  tellChanges(): Promise<void>;
}

/** Whose requests count together: an endpoint or an account. */
interface Subject {
  readonly gates: Map<string, Gate | SharedGate>;
  /** Asked for when the base limit is used up. */
  running: { readonly at: number; readonly workers: Promise<number> } | undefined;
}

/** For so long the number of running workers is taken as it was, ms: refusals must cost nothing. */
const RUNNING_AGE = 100;

/** How often what nobody uses any more is let go of, ms. */
const SWEEP_EVERY = 60_000;

/**
 * `runningWorkers` tells how many workers of a subject hold a job, as health does; `sharing` is undefined for
 * a server that is alone with its data.
 */
export function rateLimiter(
  clock: Clock,
  runningWorkers: (subject: string) => Promise<number>,
  sharing?: RateSharing,
): RateLimiter {
  const subjects = new Map<string, Subject>();
  let nextSweep = 0;

  /** Only where other servers are asked, or workers make room, there is something to wait for. */
  function enter(subject: string, operation: string, limit: RateLimit): Entry | Promise<Entry> {
    const now = clock.now();
    if (now >= nextSweep) sweep(now);
    const base = entryOf(gateOf(subject, operation), limit, limit.requests, now);
    if (!(base instanceof Promise) && base.refusal === undefined) return base;
    return enterByWorkers(subject, limit, base, now);
  }

  async function enterByWorkers(
    subject: string,
    limit: RateLimit,
    entering: Entry | Promise<Entry>,
    now: number,
  ): Promise<Entry> {
    const base = await entering;
    if (base.refusal !== "requests" || limit.perWorker === 0) return base;
    const requests = effectiveRequests(limit, await runningOf(subject, now));
    return entryOf(base.gate, limit, requests, clock.now());
  }

  function gateOf(id: string, operation: string): Gate | SharedGate {
    const { gates } = subjectOf(id);
    let found = gates.get(operation);
    if (found === undefined) {
      found = sharing === undefined ? gate() : sharedGate(sharing(id, operation));
      gates.set(operation, found);
    }
    return found;
  }

  async function ofShared(tell: (shared: SharedGate) => Promise<void>): Promise<void> {
    const telling: Promise<void>[] = [];
    for (const { gates } of subjects.values())
      for (const one of gates.values()) if ("tellExcess" in one) telling.push(tell(one));
    await Promise.all(telling);
  }

  function subjectOf(id: string): Subject {
    let subject = subjects.get(id);
    if (subject === undefined) subjects.set(id, (subject = { gates: new Map(), running: undefined }));
    return subject;
  }

  function runningOf(id: string, now: number): Promise<number> {
    const subject = subjectOf(id);
    if (subject.running === undefined || now >= subject.running.at + RUNNING_AGE) {
      subject.running = { at: now, workers: runningWorkers(id) };
    }
    return subject.running.workers;
  }

  function sweep(now: number): void {
    nextSweep = now + SWEEP_EVERY;
    for (const [id, { gates }] of subjects) {
      for (const [operation, gate] of gates) if (gate.isIdle(now)) gates.delete(operation);
      if (gates.size === 0) subjects.delete(id);
    }
  }

  return {
    async limit(call, subject, operation, limit, handle) {
      const entering = enter(subject, operation, limit);
      const entry = entering instanceof Promise ? await entering : entering;
      if (entry.refusal !== undefined) throw refused(operation, limit, entry, clock.now());
      try {
        const answer = await handle();
        const told = rateLimitHeaders(operation, entry, clock.now());
        call.headers["ratelimit-policy"] = told["ratelimit-policy"];
        call.headers["ratelimit"] = told.ratelimit;
        return answer;
      } finally {
        if (call.answered === undefined) {
          const leaving = entry.gate.leave();
          if (leaving !== undefined) await leaving;
        } else void call.answered.then(() => entry.gate.leave());
      }
    },

    tellExcess: () => ofShared((shared) => shared.tellExcess()),
    tellChanges: () => ofShared((shared) => shared.tellChanges()),
  };
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
