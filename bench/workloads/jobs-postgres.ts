import { forebayServers } from "../contestants/forebay.ts";
import { bullmqWithResults } from "../contestants/peers.ts";
import { postgresPeers } from "../contestants/postgres-peers.ts";
import { ratioGoal, type Workload } from "../workload.ts";
import { WHOLE_JOBS, wholeJobs } from "./whole-jobs.ts";

const ONE = "Forebay, 1 server";
const TWO = "Forebay, 2 servers";

/** W1 on PostgreSQL: whole jobs with their results read, beside the queues on PostgreSQL. */
export const JOBS_ON_POSTGRES: Workload = {
  id: "jobs-postgres",
  title: "W1 on PostgreSQL: whole jobs, each result read",
  about:
    "64 clients submit jobs of 0.3 kB over HTTP, 16 read each result. Each queue has a PostgreSQL with the " +
    "default settings of its package, and the same front (River: net/http). pg-boss and graphile-worker " +
    "run half of the jobs, BullMQ on PostgreSQL a quarter.",
  rounds: 3,
  minutes: 9,
  columns: WHOLE_JOBS,
  chart: "rate",
  goals: [
    ratioGoal({
      what: "W1 PostgreSQL, one server, × jobs/s of the best PostgreSQL queue",
      row: ONE,
      key: "rate",
      against: (row) => row.startsWith("peer: "),
      must: { least: 2 },
      aim: { least: 2.5 },
    }),
    ratioGoal({
      what: "W1 PostgreSQL, two servers on the same cores, × jobs/s of one",
      row: TWO,
      key: "rate",
      against: (row) => row === ONE,
      must: { least: 0.85 },
      aim: { least: 0.95 },
    }),
  ],
  async cases(scale) {
    const contestants = [
      forebayServers(scale.build, ONE, 1),
      forebayServers(scale.build, TWO, 2),
      forebayServers(scale.build, "Forebay, 4 servers", 4),
      ...postgresPeers(scale.pgmq),
      bullmqWithResults("BullMQ on Redis, fsync always, results stored"),
    ];
    return contestants.map((contestant) => wholeJobs(contestant, scale, true));
  },
};
