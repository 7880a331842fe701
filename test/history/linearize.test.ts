import { expect, test } from "bun:test";
import { cancel, end, FINAL, handOut, look, purge, report, retry, submission } from "./events.ts";
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

test("calls without an answer, repeated for as long as a server is down, do not slow the search", () => {
  const down = Array.from({ length: 200 }, (_, index) => index);
  const reports = down.flatMap((at) => [
    report(5 + at / 1_000, "FAILED", `lost-${at}`, { attempt: 1, outcome: "unknown" }),
    report(5 + at / 1_000, "FAILED", `gone-${at}`, { worker: "w", outcome: "unknown" }),
  ]);
  const calls = down.flatMap((at) => [
    retry(6 + at / 1_000, { outcome: "unknown" }),
    cancel(6 + at / 1_000, undefined, { outcome: "unknown" }),
    purge(6 + at / 1_000, { outcome: "unknown" }),
  ]);
  const seen = [look(20, "FAILED"), look(30, "IN_PROGRESS"), look(40, "FAILED"), look(50, "IN_QUEUE")];
  const got = [
    handOut(3, 1, { worker: "w" }),
    report(8, "COMPLETED", "r", { attempt: 1, outcome: "ignored" }),
  ];
  const wrong = end(60, "COMPLETED", "nobody's", FINAL);
  const [job] = jobHistories([submission(1), ...got, ...reports, ...calls, ...seen, wrong]);
  expect(job && notLinearizable(job).notLinearizable).toEqual([
    expect.stringContaining("no order explains it: look: COMPLETED with nobody's"),
  ]);
});
