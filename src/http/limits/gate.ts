import { RATE_WINDOW } from "../../domain/rate-limits.ts";
import { slidingWindow } from "./sliding-window.ts";

/** What one operation of one endpoint has let in: the requests of the last 10 s, and those in flight. */
export interface Gate {
  /** Lets a request in and counts it, or answers which limit it would break; a refused one is not counted. */
  enter(requests: number, concurrent: number | undefined, now: number): "requests" | "concurrent" | undefined;
  /** A request that was let in has been answered. */
  leave(): void;
  /** How many requests may still come now. */
  remaining(requests: number, now: number): number;
  /** Milliseconds until one may come, if none does before; 0 when it may now. */
  roomIn(requests: number, now: number): number;
  /** Milliseconds until the oldest request is counted no more; 0 when none is counted. */
  oldestLeavesIn(now: number): number;
  /** Nothing would be lost with it. */
  isIdle(now: number): boolean;
}

export function gate(): Gate {
  const window = slidingWindow(RATE_WINDOW);
  let inFlight = 0;

  return {
    enter(requests, concurrent, now) {
      if (window.count(now) >= requests) return "requests";
      if (concurrent !== undefined && inFlight >= concurrent) return "concurrent";
      window.add(now);
      inFlight++;
      return undefined;
    },

    leave() {
      inFlight--;
    },

    remaining: (requests, now) => Math.max(0, requests - window.count(now)),
    roomIn: (requests, now) => window.roomIn(requests, now),
    oldestLeavesIn: (now) => window.roomIn(window.count(now), now),
    isIdle: (now) => inFlight === 0 && window.count(now) === 0,
  };
}
