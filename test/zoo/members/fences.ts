import type { Member } from "../member.ts";

const FINISH = "src/store/sqlite/steps/sqlite-finish.ts";

/** Who may end which attempt. */
export const MEMBERS: readonly Member[] = [
  {
    name: "finish without attempt",
    breaks: "A worker ends only the attempt that it holds",
    file: FINISH,
    replace:
      "(worker === undefined || row.holder === worker) && (attempt === undefined || row.attempt === attempt)",
    by: "worker === undefined || row.holder === worker || attempt === undefined",
    caughtBy: { suite: "store", files: ["test/contract/sqlite.test.ts"], test: "finish" },
  },
  {
    name: "finish by any worker",
    breaks: "A worker ends only a job that it holds",
    file: FINISH,
    replace: "(worker === undefined || row.holder === worker) && (attempt",
    by: "(worker === undefined || row.holder !== null) && (attempt",
    caughtBy: { suite: "store", files: ["test/contract/sqlite.test.ts"], test: "finish" },
  },
];
