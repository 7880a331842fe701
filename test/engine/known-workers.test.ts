import { expect, test } from "bun:test";
import { workerLoad } from "../../src/engine/known-workers.ts";
import type { Signal } from "../../src/store/signals.ts";

test("the load of a worker is the jobs that it took, minus those that ended or went back", () => {
  const load = workerLoad();
  const tell = (event: Signal["event"], worker: string | undefined, endpoint = "e") =>
    load.follow({ event, endpoint, id: "job", worker });
  const loads = () => [load.of("e", "a"), load.of("e", "b"), load.of("other", "a")];
  expect(loads()).toEqual([0, 0, 0]);
  tell("take", "a");
  tell("take", "a");
  tell("take", "b");
  expect(loads()).toEqual([2, 1, 0]);
  // Neither is about who runs it.
  tell("append", "a");
  tell("enqueue", undefined);
  expect(loads()).toEqual([2, 1, 0]);
  tell("complete", "a");
  tell("giveBack", "b");
  expect(loads()).toEqual([1, 0, 0]);
  // Taken at another server before this one started.
  tell("complete", "b");
  tell("take", "b");
  tell("take", "a", "other");
  expect(loads()).toEqual([1, 1, 1]);
});
