import { RATE_LIMITS, type RateLimit } from "../src/domain/rate-limits.ts";
import { rateLimiter } from "../src/http/limits/rate-limiter.ts";
import { slidingWindow } from "../src/http/limits/sliding-window.ts";
import { systemClock } from "../src/system-clock.ts";

// `node bin/bun.mjs bench/rate-limiter.ts`: what the rate limit costs a request, in nanoseconds.

const REQUESTS = 500_000;
const ROUNDS = 5;
const RAISED: RateLimit = { requests: 100_000_000, concurrent: 100_000, perWorker: 0 };
const clock = systemClock(0);

/** Nanoseconds of one `action`, the median of some rounds. */
async function nanosecondsOf(requests: number, action: () => unknown): Promise<number> {
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now();
    for (let request = 0; request < requests; request++) await action();
    rounds.push(((performance.now() - startedAt) * 1e6) / requests);
  }
  return rounds.toSorted((a, b) => a - b)[ROUNDS >> 1] ?? 0;
}

const window = slidingWindow(10_000);
const limiter = rateLimiter(clock, () => Promise.resolve(0));
const refusing = rateLimiter(clock, () => Promise.resolve(0));
const init = { status: 200, headers: { "content-type": "application/json" } };
const answer = (): Response => new Response("{}", init);
const call = { headers: {} };
const pass = (): Promise<Response> => limiter.limit(call, "endpoint", "run", RAISED, answer);
const refuse = (): Promise<unknown> =>
  refusing.limit(call, "endpoint", "cancel", RATE_LIMITS.cancel, answer).catch(() => undefined);

const rows: [string, number][] = [
  ["an answer alone", await nanosecondsOf(REQUESTS, answer)],
  [
    "the window alone: count and add",
    await nanosecondsOf(REQUESTS, () => (window.count(clock.now()), window.add(clock.now()))),
  ],
  ["an answer within its limit, with the headers", await nanosecondsOf(REQUESTS, pass)],
  ["a refusal, before its answer is made", await nanosecondsOf(REQUESTS / 10, refuse)],
];
console.log("| | ns |\n|---|---|");
for (const [what, ns] of rows) console.log(`| ${what} | ${ns.toFixed(0)} |`);
