import { describe, expect, test } from "bun:test";
import {
  type Release,
  releaseStateOf,
  servingBefore,
  servingOf,
  wantsFirstWorker,
} from "../../src/domain/release.ts";

const release = (number: number, changes: Partial<Release> = {}): Release => ({
  number,
  createdAt: 0,
  ...changes,
});
const STOPPED = { stopped: { worker: "w", how: "exit code 1", at: 1, stoppedAt: 2 } };
const PAUSED = { paused: { pausedAt: 1, own: 1, earlier: 1 } };
const SERVED = { servedAt: 1 };

describe("the state of a release", () => {
  test.each([
    ["ROLLING", release(2, SERVED), 2],
    ["PAUSED", release(2, PAUSED), 2],
    ["COMPLETE", release(2, { ...SERVED, completeAt: 2 }), 2],
    ["COMPLETE", release(2, { ...PAUSED, completeAt: 2 }), 2],
    ["REPLACED", release(2, { ...SERVED, completeAt: 2 }), 3],
    ["STOPPED", release(2, STOPPED), 3],
  ] as const)("%s", (state, one, newest) => {
    expect(releaseStateOf(one, release(newest))).toBe(state);
  });
});

describe("the release whose workers run", () => {
  test("is the newest, or the one that served before it where the newest was stopped", () => {
    expect(servingOf([])).toBeUndefined();
    expect(servingOf([release(3), release(2, SERVED)])?.number).toBe(3);
    expect(servingOf([release(3, STOPPED), release(2), release(1, SERVED)])?.number).toBe(1);
    expect(servingOf([release(3, STOPPED), release(2)])?.number).toBe(3);
  });

  test("before another one is the newest that served and was neither stopped nor left paused", () => {
    const all = [
      release(6, SERVED),
      release(5),
      release(4, { ...SERVED, ...STOPPED }),
      release(3, { ...SERVED, ...PAUSED }),
      release(2, SERVED),
      release(1, SERVED),
    ];
    expect(servingBefore(all, { number: 6 })?.number).toBe(2);
    expect(servingBefore(all, { number: 2 })?.number).toBe(1);
    expect(servingBefore(all, { number: 1 })).toBeUndefined();
  });
});

test("a release that shows whether it starts wants a worker until one has called or it was stopped", () => {
  const wanting = release(2, { startsNow: true });
  expect(wantsFirstWorker(wanting)).toBe(true);
  expect(wantsFirstWorker({ ...wanting, ...SERVED })).toBe(false);
  expect(wantsFirstWorker({ ...wanting, ...STOPPED })).toBe(false);
  expect(wantsFirstWorker(release(2))).toBe(false);
  expect(wantsFirstWorker(undefined)).toBe(false);
});
