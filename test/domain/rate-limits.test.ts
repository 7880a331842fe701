import { describe, expect, test } from "bun:test";
import {
  creditOf,
  effectiveRequests,
  EXACT_LIMIT,
  MANAGEMENT_RATE_LIMIT,
  RATE_LIMITS,
  RATE_WINDOW,
  rateLimitOf,
} from "../../src/domain/rate-limits.ts";

/** Spec section 8: requests within 10 s, requests in flight, requests for each running worker. */
const SPEC = `
runsync: 2000 400 50
run: 1000 200 25
status: 2000 400 50
status-sync: 2000 400 50
stream: 2000 400 50
cancel: 100 20 0
retry: 1000 200 25
purge-queue: 2 any 0
health: 2000 400 50
openai: 2000 400 50
requests: 10 2 0
`;

test("8: the limits of each operation are those of the specification", () => {
  const lines = Object.entries(RATE_LIMITS).map(
    ([name, { requests, concurrent, perWorker }]) =>
      `${name}: ${requests} ${concurrent ?? "any"} ${perWorker}`,
  );
  expect(lines).toEqual(SPEC.trim().split("\n"));
  expect(RATE_WINDOW).toBe(10_000);
  expect(MANAGEMENT_RATE_LIMIT).toEqual({ requests: 2_000, concurrent: 400, perWorker: 0 });
});

describe("8: what an endpoint raises", () => {
  test("holds in the place of the base, each figure by itself", () => {
    const base = { requests: 1_000, concurrent: 200, perWorker: 25 };
    expect(rateLimitOf("run", undefined)).toEqual(base);
    expect(rateLimitOf("run", { cancel: { requests: 7 } })).toEqual(base);
    expect(rateLimitOf("run", { run: { requests: 5_000 } })).toEqual({ ...base, requests: 5_000 });
    expect(rateLimitOf("run", { run: { concurrent: 900 } })).toEqual({ ...base, concurrent: 900 });
  });

  test("running workers raise it only where they are good for more", () => {
    const limit = { requests: 1_000, concurrent: 200, perWorker: 25 };
    expect([0, 40, 41].map((workers) => effectiveRequests(limit, workers))).toEqual([1_000, 1_000, 1_025]);
  });
});

describe("what a server lets in before the others know", () => {
  test("anything where it is alone", () => {
    expect(creditOf(2, 0)).toBe(Number.POSITIVE_INFINITY);
  });

  test("nothing where the number of servers is unknown, or the limit is one that holds exactly", () => {
    expect(creditOf(2_000, undefined)).toBe(0);
    expect(creditOf(EXACT_LIMIT, 1)).toBe(0);
    expect(EXACT_LIMIT).toBe(100);
  });

  test("otherwise a twentieth of the limit, shared by the others and rounded down", () => {
    expect(creditOf(101, 1)).toBe(5);
    expect(creditOf(2_000, 3)).toBe(33);
  });
});
