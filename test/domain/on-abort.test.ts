import { expect, test } from "bun:test";
import { onAbort } from "../../src/domain/on-abort.ts";

test("what waits for an abort runs once, at once if it has happened, and not once taken back", () => {
  const abort = new AbortController();
  const ran: string[] = [];
  const act = (): void => void ran.push("twice the same");
  onAbort(abort.signal, act);
  onAbort(abort.signal, act);
  const takeBack = onAbort(abort.signal, () => ran.push("taken back"));
  takeBack();
  expect(ran).toEqual([]);

  abort.abort();
  abort.signal.dispatchEvent(new Event("abort"));
  expect(ran).toEqual(["twice the same", "twice the same"]);

  onAbort(abort.signal, () => ran.push("late"))();
  expect(ran.at(-1)).toBe("late");
});
