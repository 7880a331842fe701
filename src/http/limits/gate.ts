import { RATE_WINDOW, type RateLimit } from "../../domain/rate-limits.ts";
import { SlidingWindow } from "./sliding-window.ts";

/** What a request must keep to. */
export type GateLimit = Pick<RateLimit, "requests" | "concurrent">;

/** Which limit a request would break; undefined if it is let in. */
export type Refusal = "requests" | "concurrent" | undefined;

/** What one operation of one endpoint has let in: the requests of the last 10 s, and those in flight. */
export interface Gate {
  /**
   * Lets a request in and counts it, or answers which limit it would break. A refused request is not counted.
   * Throws STORAGE_UNAVAILABLE if other servers must be asked and cannot be.
   */
  enter(limit: GateLimit, now: number): Refusal | Promise<Refusal>;
  /** A request that was let in has been answered. Resolves when others can use its place. */
  leave(): Promise<void> | undefined;
  /** How many more requests are allowed now. */
  remaining(requests: number, now: number): number;
  /** Milliseconds until a request is allowed, if none comes before; 0 if one is allowed now. */
  roomIn(requests: number, now: number): number;
  /** Milliseconds until the oldest request no longer counts; 0 if none counts. */
  oldestLeavesIn(now: number): number;
  /** Whether it counts nothing, so that it can be dropped. */
  isIdle(now: number): boolean;
}

/** The gate of a server that shares its data with no other. */
export function gate(): Gate {
  const window = new SlidingWindow(RATE_WINDOW);
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
