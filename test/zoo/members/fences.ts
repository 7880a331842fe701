import type { Member } from "../member.ts";

const CONTRACT = "test/contract/sqlite.test.ts";
const FINISH = "src/store/sqlite/steps/sqlite-finish.ts";
const LIVE = "src/store/sqlite/sqlite-live-attempt.ts";

/** Who may end, write to and return which attempt. */
export const MEMBERS: readonly Member[] = [
  {
    name: "finish without attempt",
    breaks: "A worker ends only the attempt that it holds",
    file: FINISH,
    replace: "(attempt === undefined || row.attempt === attempt)",
    by: "(attempt === undefined || row.attempt >= 0)",
    caughtBy: { suite: "store", files: [CONTRACT] },
  },
  {
    name: "deadline of a job that has moved on",
    breaks: "A deadline ends only the run that it was decided on",
    file: FINISH,
    replace: "step.onlyDue === true && row.due_at > now",
    by: "step.onlyDue === true && row.due_at < now",
    caughtBy: { suite: "store", files: [CONTRACT], test: "a timeout that was decided" },
  },
  {
    name: "finish by any worker",
    breaks: "A worker ends only a job that it holds",
    file: FINISH,
    replace: "(worker === undefined || row.holder === worker)",
    by: "(worker === undefined || row.holder !== null)",
    caughtBy: { suite: "store", files: [CONTRACT] },
  },
  {
    name: "chunk after the end",
    breaks: "No chunk is added to a job that has ended",
    file: LIVE,
    replace: "state = 'IN_PROGRESS' AND holder = ?3",
    by: "state <> 'IN_QUEUE' AND holder = ?3",
    caughtBy: { suite: "store", files: [CONTRACT] },
  },
  {
    name: "chunk of an earlier attempt",
    breaks: "Chunks are added to the running attempt only",
    file: LIVE,
    replace: "AND attempt = ifnull(?4, attempt)",
    by: "AND attempt >= ifnull(?4, attempt)",
    caughtBy: { suite: "store", files: [CONTRACT] },
  },
  {
    name: "return of an earlier attempt",
    breaks: "A late timer returns no newer attempt",
    file: "src/store/sqlite/steps/sqlite-give-back.ts",
    replace: " || row.attempt !== step.attempt",
    by: "",
    caughtBy: { suite: "store", files: [CONTRACT] },
  },
  {
    name: "cancel after the end",
    breaks: "A job that has ended cannot be canceled",
    file: "src/store/sqlite/steps/sqlite-cancel.ts",
    replace: 'if (!permits("cancel", row.state)) return jobOf(row);',
    by: "",
    caughtBy: { suite: "store", files: [CONTRACT] },
  },
  {
    name: "retry of a success",
    breaks: "Only failed and timed-out jobs can be retried",
    file: "src/store/sqlite/steps/sqlite-retry.ts",
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
