import { expect, test } from "bun:test";
import { type Lane, nextOf, runLanes } from "./support/run-lanes.ts";
import { type Suite, SUITES } from "./support/suites.ts";

const suite = (name: string, more: Partial<Suite> = {}): Suite => ({
  name,
  command: [],
  isQuick: false,
  ...more,
});
const WORKS: Lane = { waits: false };
const WAITS: Lane = { waits: true };

test("a lane takes the first suite of its kind that shares nothing with one that runs", () => {
  const running = [suite("a", { shares: "the engine" })];
  const waiting = [suite("b", { shares: "the engine" }), suite("c", { waits: true }), suite("d"), suite("e")];
  expect(nextOf(WORKS, waiting, running)?.name).toBe("d");
  expect(nextOf(WAITS, waiting, running)?.name).toBe("c");
  expect(nextOf(WORKS, waiting.slice(0, 2), running)).toBeUndefined();
  expect(nextOf(WORKS, waiting, [])?.name).toBe("b");
});

test("every suite runs once, at most one in each lane, and none beside one that it shares", async () => {
  const shared = Array.from({ length: 4 }, (_, n) => suite(`shared-${n}`, { shares: "the engine" }));
  const others = Array.from({ length: 4 }, (_, n) => suite(`other-${n}`));
  const waits = Array.from({ length: 3 }, (_, n) => suite(`waits-${n}`, { waits: true }));
  const running = new Set<Suite>();
  const most = { shared: 0, works: 0, waits: 0 };
  const names = await runLanes([...shared, ...others, ...waits], [WORKS, WORKS, WAITS], async (one) => {
    running.add(one);
    const count = (of: (other: Suite) => boolean): number => [...running].filter(of).length;
    most.shared = Math.max(
      most.shared,
      count(({ shares }) => shares !== undefined),
    );
    most.works = Math.max(
      most.works,
      count((other) => other.waits !== true),
    );
    most.waits = Math.max(
      most.waits,
      count((other) => other.waits === true),
    );
    for (let turn = 0; turn <= one.name.length % 3; turn++) await new Promise(setImmediate);
    running.delete(one);
    return one.name;
  });
  expect(names.toSorted()).toEqual([...shared, ...others, ...waits].map(({ name }) => name).toSorted());
  expect(most).toEqual({ shared: 1, works: 2, waits: 1 });
});

test("no two suites have the same name", () => {
  const names = SUITES.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
