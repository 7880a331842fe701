import { expect, test } from "bun:test";
import { ByteBudget } from "../../src/http/byte-budget.ts";

const NO_BYTES = [Number.NaN, Infinity, -Infinity, -1, 0.5, Number.MAX_SAFE_INTEGER + 1];

test.each(NO_BYTES)("a budget takes no body of %d bytes, and has all its room afterwards", async (bytes) => {
  const budget = new ByteBudget(100, "refuse");
  await expect(budget.enter(bytes)).rejects.toBeInstanceOf(RangeError);
  expect(() => budget.leave(bytes)).toThrow(RangeError);
  await budget.enter(60);
  await budget.enter(40);
  await expect(budget.enter(1)).rejects.toMatchObject({ code: "OVERLOADED" });
  budget.leave(60);
  await budget.enter(60);
});

test.each(NO_BYTES)("there is no budget of %d bytes", (bytes) => {
  expect(() => new ByteBudget(bytes, "wait")).toThrow(RangeError);
});

test("a budget takes no more back than was taken from it", async () => {
  const budget = new ByteBudget(100, "refuse");
  await budget.enter(10);
  expect(() => budget.leave(11)).toThrow(RangeError);
  budget.leave(10);
});
