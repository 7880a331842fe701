import { expect, test } from "bun:test";
import { FINAL, look, purge, retry, submission } from "../history/events.ts";
import type { HistoryEvent } from "../history/history.ts";
import { type Counted, wrongCounters } from "./counters.ts";
import { recorder } from "./recorder.ts";

const NOTHING = { endpoint: "e", completed: 0, failed: 0, retried: 0, inQueue: 0, inProgress: 0 };

function wrong(events: HistoryEvent[], counted: Partial<Counted> = {}): string[] {
  return wrongCounters({ ...recorder(), events }, [{ ...NOTHING, ...counted }]);
}

test("counters that the jobs contradict are wrong", () => {
  const done = [submission(1), look(40, "COMPLETED", FINAL)];
  expect(wrong(done, { completed: 1 })).toEqual([]);
  expect(wrong(done, { completed: 2 })).toEqual(["completed of e is 2, not 1 to 1"]);
  expect(wrong(done, { completed: 1, inQueue: 1 })).toHaveLength(1);
  const retried = [submission(1), retry(20), look(40, "FAILED", FINAL)];
  expect(wrong(retried, { failed: 2, retried: 1 })).toEqual([]);
  expect(wrong(retried, { failed: 1, retried: 1 })).toHaveLength(1);
  const unknown = submission(1, { outcome: "unknown", tag: "u" });
  expect(wrong([...retried, unknown], { failed: 3, retried: 1 })).toEqual([]);
});

test("a purge removed as many jobs as are gone", () => {
  const gone = [submission(1), look(50, "gone", FINAL)];
  expect(wrong([...gone, purge(20, { removed: 1 })])).toEqual([]);
  for (const removed of [0, 2]) {
    expect(wrong([...gone, purge(20, { removed })])).toEqual([
      `what purges removed of e is ${removed}, not 1 to 1`,
    ]);
  }
  expect(wrong([...gone, purge(20, { outcome: "unknown" })])).toEqual([]);
});
