import { expect, test } from "bun:test";
import { type LimitedOperation, rateLimitOf } from "../../src/domain/rate-limits.ts";
import { RateLimiter } from "../../src/http/limits/rate-limiter.ts";
import { ManualClock } from "../support/manual-clock.ts";

// Their answers come so fast that over HTTP no second one is ever in flight: here the test holds them.
const AT_ONCE: readonly (readonly [name: string, operation: LimitedOperation, most: number | undefined])[] = [
  ["8 rate /status concurrent: 400 status calls in flight, and no more", "status", 400],
  ["8 rate /requests concurrent: 2 requests calls in flight, and no more", "requests", 2],
  ["8 rate /purge-queue concurrent: any number of purge-queue calls in flight", "purge-queue", undefined],
  ["design row 17: 400 health calls in flight, and no more", "health", 400],
];

test.each(AT_ONCE)("%s", async (_name, operation, most) => {
  const limiter = new RateLimiter(new ManualClock(), () => Promise.resolve(0));
  const limit = rateLimitOf(operation, { [operation]: { requests: 1_000_000 } });
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const call = (): Promise<Response> =>
    limiter.limit({ headers: {} }, "e", operation, limit, async () => {
      await answered;
      return new Response();
    });

  const held = Array.from({ length: most ?? 1_000 }, call);
  if (most !== undefined) await expect(call()).rejects.toMatchObject({ code: "TOO_MANY_AT_ONCE" });
  answer();
  expect((await Promise.all(held)).every(({ ok }) => ok)).toBe(true);
  await call();
});
