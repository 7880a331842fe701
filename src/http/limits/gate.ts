import { RATE_WINDOW, type RateLimit } from "../../domain/rate-limits.ts";
import { slidingWindow } from "./sliding-window.ts";

/** What a request must keep to. */
export type GateLimit = Pick<RateLimit, "requests" | "concurrent">;

/** Which limit a request would break; undefined when it is let in. */
export type Refusal = "requests" | "concurrent" | undefined;

/** What one operation of one endpoint has let in: the requests of the last 10 s, and those in flight. */
export interface Gate {
  /**
   * Lets a request in and counts it, or answers which limit it would break; a refused one is not counted.
   * Throws STORAGE_UNAVAILABLE where other servers have to be asked and cannot be.
   */
  enter(limit: GateLimit, now: number): Refusal | Promise<Refusal>;
  /** A request that was let in has been answered. Resolves when others that it kept out may come in. */
  leave(): Promise<void> | undefined;
  /** How many requests may still come now. */
  remaining(requests: number, now: number): number;
  /** Milliseconds until one may come, if none does before; 0 when it may now. */
  roomIn(requests: number, now: number): number;
  /** Milliseconds until the oldest request is counted no more; 0 when none is counted. */
  oldestLeavesIn(now: number): number;
  /** Nothing would be lost with it. */
  isIdle(now: number): boolean;
}

/** That of a server which is alone with its data. */
export function gate(): Gate {
  const window = slidingWindow(RATE_WINDOW);
  let inFlight = 0;

  return {
    enter({ requests, concurrent }, now) {
      if (window.count(now) >= requests) return "requests";
      if (concurrent !== undefined && inFlight >= concurrent) return "concurrent";
      window.add(now);
      inFlight++;
      return undefined;
    },

    leave() {
      inFlight--;
      return undefined;
    },

    remaining: (requests, now) => Math.max(0, requests - window.count(now)),
    roomIn: (requests, now) => window.roomIn(requests, now),
    oldestLeavesIn: (now) => window.roomIn(window.count(now), now),
    isIdle: (now) => inFlight === 0 && window.count(now) === 0,
  };
}
