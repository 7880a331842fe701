import { expect, test } from "bun:test";
import { jobHistories } from "./job-history.ts";
import { notLinearizable } from "./linearize.ts";
import { DONE } from "./small-histories.ts";

test("a search that reaches its limit is a fault, not a pass", () => {
  const [job] = jobHistories(DONE);
  expect(job && notLinearizable(job).notLinearizable).toEqual([]);
  expect(job && notLinearizable(job, 2).notLinearizable).toEqual([
    expect.stringContaining("job a: the search found no answer in 2 states"),
  ]);
});
