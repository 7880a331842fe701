import type { Member } from "../member.ts";

/** The crash of the store finds it after a few kills. */
export const MEMBERS: readonly Member[] = [
  {
    name: "late result of an earlier attempt",
    breaks: "A worker ends only the attempt that it holds",
    file: "src/store/job-steps/end-job.ts",
    replace: "row.attempt === attempt)",
    by: "row.attempt >= attempt)",
    caughtBy: { suite: "crash of the store", files: ["test/crash/crash.test.ts"] },
  },
];
