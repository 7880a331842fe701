import type { Member } from "../member.ts";

const CONTRACT = "test/contract/sqlite.test.ts";
const DEADLINES = "src/domain/deadlines.ts";
const TIMES = "src/domain/job-times.ts";

/** How a lost job is found, and a live one left alone. */
export const MEMBERS: readonly Member[] = [
  {
    name: "hand-out counts as delivered",
    breaks: "A job counts as delivered only when its worker shows that it has it",
    file: "src/store/job-steps/take.ts",
    replace: "proved: false,",
    by: "proved: true,",
    caughtBy: { suite: "store", files: [CONTRACT] },
  },
  {
    name: "no delivery lease",
    breaks: "A job that nobody confirms returns when its delivery lease ends",
    file: TIMES,
    replace: "const lease = deliveryLease ?? Number.POSITIVE_INFINITY;",
    by: "const lease = deliveryLease === undefined ? Infinity : job.executionTimeout;",
    caughtBy: { suite: "store", files: [CONTRACT] },
  },
  {
    name: "ping renews jobs of others",
    breaks: "A ping confirms only jobs that its worker holds",
    file: "src/store/sqlite/sqlite-tracked-jobs.ts",
    replace: "row.holder === worker && row.endpoint === endpoint",
    by: 'row.holder !== "" && row.endpoint === endpoint',
    caughtBy: { suite: "store", files: [CONTRACT] },
  },
  {
    name: "dead worker renewed by pings",
    breaks: "Pings alone do not renew a worker that hung up",
    file: "src/store/sqlite/sqlite-contacts.ts",
    replace: "CASE WHEN excluded.hung_up IS NULL AND hung_up = 1 THEN last_contact",
    by: "CASE WHEN excluded.hung_up IS NULL AND hung_up > 1 THEN last_contact",
    caughtBy: { suite: "store", files: [CONTRACT] },
  },
  {
    name: "silent worker denied too late",
    breaks: "A silent worker that asks for work denies the job it held",
    file: "src/store/shown-jobs.ts",
    replace: 'row.lease_ends_at === null ? "denied" : denies(row)',
    by: "row.lease_ends_at === null ? undefined : denies(row)",
    caughtBy: { suite: "unit", files: ["test/engine/silent-workers.test.ts"] },
  },
  {
    name: "crossing call denies a job",
    breaks: "A call that crossed the hand-out denies nothing",
    file: "src/store/shown-jobs.ts",
    replace: "takenAt !== null && takenAt <= deniableBefore",
    by: "takenAt !== null && deniableBefore > 0",
    caughtBy: { suite: "store", files: [CONTRACT] },
  },
  {
    name: "denial never forgiven",
    breaks: "A confirmed job starts without earlier denials",
    file: "src/store/job-steps/worker-reports.ts",
    replace: "proved: true, denials: 0,",
    by: "proved: true,",
    caughtBy: { suite: "store", files: [CONTRACT] },
  },
  {
    name: "all of several confirmed",
    breaks: "A worker with several jobs confirms none by being busy",
    file: "src/store/shown-jobs.ts",
    replace: "held.length === 1 && lease !== null",
    by: "held.length > 0 && lease !== null",
    caughtBy: { suite: "unit", files: ["test/engine/leases.test.ts", "test/engine/silent-workers.test.ts"] },
  },
  {
    name: "fourth loss allowed",
    breaks: "The third loss ends a job",
    file: DEADLINES,
    replace: "const MAX_LOSSES = 3;",
    by: "const MAX_LOSSES = 4;",
    caughtBy: { suite: "unit", files: ["test/engine/leases.test.ts"] },
  },
  {
    name: "undelivered counts as lost",
    breaks: "A hand-out that nobody received is no loss",
    file: DEADLINES,
    replace: 'proved || LOST.has(reason) ? "LOST" : "UNDELIVERED"',
    by: 'proved || !RETURNED.has(reason) ? "LOST" : "UNDELIVERED"',
    caughtBy: { suite: "unit", files: ["test/engine/leases.test.ts"] },
  },
];
