import { expect, test } from "bun:test";
import { FAULTLESS } from "../history/faults.ts";
import type { Answered } from "./fuzz-client.ts";
import { FuzzHistory } from "./fuzz-history.ts";

type Call = readonly [name: string, verdict: Answered["verdict"], json?: unknown];

const JOB = "/job";
const RUN: Call = ["run", "ok", { id: "job" }];
const CANCEL: Call = [`cancel${JOB}`, "ok", { status: "CANCELLED" }];

/** The faults when these calls are made one after the other, and the job is in this state at the end. */
function faults(state: "CANCELLED" | "COMPLETED" | "FAILED" | "gone", ...calls: readonly Call[]) {
  const history = new FuzzHistory();
  for (const [index, [name, verdict, json]] of calls.entries()) {
    const span = { from: 10 * index, to: 10 * index + 5 };
    history.note({ path: `/v2/e/${name}`, headers: [] }, { verdict, json }, span);
  }
  history.final("job", state, { from: 1_000, to: 1_001 });
  return history.verdict(["e"]).faults;
}

test("legal answers of the fuzzed server have no faults", () => {
  expect(faults("COMPLETED", RUN, [`status${JOB}`, "ok", { status: "IN_PROGRESS" }])).toEqual(FAULTLESS);
  expect(faults("CANCELLED", RUN, CANCEL, [`retry${JOB}`, "NOT_RETRYABLE"])).toEqual(FAULTLESS);
  expect(faults("gone", RUN, ["purge-queue", "ok", { removed: 1 }])).toEqual(FAULTLESS);
});

test("a lost job and lost changes of jobs are faults", () => {
  expect(faults("gone", RUN).lost).toHaveLength(1);
  expect(faults("COMPLETED", RUN, CANCEL).illegal).toHaveLength(1);
  expect(faults("CANCELLED", RUN).illegal).toHaveLength(1);
  const failed: Call = [`status${JOB}`, "ok", { status: "FAILED" }];
  expect(faults("FAILED", RUN, failed, [`retry${JOB}`, "NOT_RETRYABLE"]).notLinearizable).toHaveLength(1);
});
