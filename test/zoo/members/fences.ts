import type { Member } from "../member.ts";

const CONTRACT = "test/contract/sqlite.test.ts";
const STEPS = "src/store/job-steps";

/** Who may end, write to and return which attempt. */
export const MEMBERS: readonly Member[] = [
  {
    name: "finish without attempt",
    breaks: "A worker ends only the attempt that it holds",
    file: `${STEPS}/end-job.ts`,
    replace: "(attempt === undefined || row.attempt === attempt)",
    by: "(attempt === undefined || row.attempt >= 0)",
    caughtBy: { suite: "store", files: [CONTRACT] },
  },
  {
    name: "finish by any worker",
    breaks: "A worker ends only a job that it holds",
    file: `${STEPS}/end-job.ts`,
    replace: "(worker === undefined || row.holder === worker)",
    by: "(worker === undefined || row.holder !== null)",
    caughtBy: { suite: "store", files: [CONTRACT] },
  },
  {
    name: "deadline of a job that has moved on",
    breaks: "A deadline ends only the run that it was decided on",
    file: `${STEPS}/end-job.ts`,
    replace: "step.onlyDue === true && row.due_at > now",
    by: "step.onlyDue === true && row.due_at < now",
    caughtBy: { suite: "store", files: [CONTRACT], test: "a timeout that was decided" },
  },
  {
    name: "chunk of an earlier attempt",
    breaks: "Chunks are added to the running attempt only",
    file: `${STEPS}/worker-reports.ts`,
    replace: "attempt === undefined || attempt === row.attempt",
    by: "attempt === undefined || attempt <= row.attempt",
    caughtBy: { suite: "store", files: [CONTRACT] },
  },
  {
    name: "retry of a success",
    breaks: "Only failed and timed-out jobs can be retried",
    file: `${STEPS}/requeue.ts`,
    replace: 'if (!permits("retry", row.state)) return { job: jobOf(row), accepted: false };',
    by: "",
    caughtBy: { suite: "store", files: [CONTRACT] },
  },
  {
    name: "late result of another run",
    breaks: "A late result counts only in the run of its attempt",
    file: "src/domain/late-result.ts",
    replace: "({ ended }) => ended.position === position",
    by: "({ ended }) => ended.position <= position",
    caughtBy: { suite: "unit", files: ["test/engine/late-results.test.ts"] },
  },
  {
    name: "late result after chunks",
    breaks: "A late result counts only if no attempt has put out a chunk",
    file: "src/domain/late-result.ts",
    replace: " || chunks > 0 || ",
    by: " || ",
    caughtBy: { suite: "unit", files: ["test/engine/late-results.test.ts"] },
  },
  {
    name: "late result past its deadline",
    breaks: "A late result counts only within the deadline of its attempt",
    file: "src/domain/late-result.ts",
    replace: " && ended.startedAt + executionTimeout > now",
    by: "",
    caughtBy: { suite: "unit", files: ["test/engine/late-results.test.ts"] },
  },
];
