import type { Contestant } from "../contestant.ts";
import { ECHO } from "../contestants/echo.ts";
import { forebayLibrary, forebayPublic } from "../contestants/forebay.ts";
import { beanstalkd, bullmq } from "../contestants/peers.ts";
import { waverless } from "../contestants/waverless.ts";
import { ratioGoal, type Workload } from "../workload.ts";
import { WHOLE_JOBS, wholeJobs } from "./whole-jobs.ts";

const PUBLIC = "Forebay, public protocol";
const LIBRARY = "Forebay, own library on Bun, exchange";
const BULLMQ = "BullMQ, fsync always";
const WAVERLESS = "waverless";

const isBullmq = (row: string): boolean => row.startsWith(BULLMQ);
const rates = { key: "rate", against: isBullmq };
const costs = { key: "cpu", against: isBullmq };

/** W1 on SQLite: whole jobs, beside the queues that sync to the disk. */
export const JOBS: Workload = {
  id: "jobs",
  title: "W1: whole jobs",
  about:
    "64 clients submit jobs of 0.3 kB over HTTP, each one at a time. 64 workers run a handler that does " +
    "nothing. Forebay stores results and deletes them after two seconds; BullMQ and beanstalkd drop them. " +
    "waverless runs a twentieth of the jobs. Only the best setting of a peer in the first round goes on.",
  rounds: 3,
  minutes: 9,
  columns: WHOLE_JOBS,
  chart: "rate",
  goals: [
    ratioGoal({
      ...rates,
      what: "W1 public protocol, × jobs/s of BullMQ + Fastify",
      row: PUBLIC,
      must: { least: 1.2 },
      aim: { least: 1.6 },
    }),
    ratioGoal({
      ...costs,
      what: "W1 public protocol, × CPU of BullMQ + Fastify",
      row: PUBLIC,
      must: { most: 0.7 },
      aim: { most: 0.55 },
    }),
    ratioGoal({
      ...rates,
      what: "W1 own library, × jobs/s of BullMQ + Fastify",
      row: LIBRARY,
      must: { least: 2 },
      aim: { least: 2.5 },
    }),
    ratioGoal({
      ...costs,
      what: "W1 own library, × CPU of BullMQ + Fastify",
      row: LIBRARY,
      must: { most: 0.42 },
      aim: { most: 0.35 },
    }),
    ratioGoal({
      what: "W1 public protocol, × jobs/s of waverless",
      row: PUBLIC,
      key: "rate",
      against: (row) => row === WAVERLESS,
      must: { least: 50 },
      aim: { least: 80 },
    }),
  ],
  async cases(scale) {
    const contestants: Contestant[] = [
      ECHO,
      forebayPublic(scale.build, PUBLIC),
      forebayLibrary(scale.build, LIBRARY, "Bun", "exchange"),
      forebayLibrary(scale.build, "Forebay, own library on Bun, public protocol", "Bun", "public"),
      forebayLibrary(scale.build, "Forebay, own library on Node, exchange", "Node", "exchange"),
      ...bullmq(BULLMQ, "always"),
      ...bullmq("BullMQ, fsync each second", "everysec"),
      ...beanstalkd("beanstalkd, fsync for each job"),
      waverless(WAVERLESS, scale.waverless),
    ];
    return contestants.map((contestant) => wholeJobs(contestant, scale, false));
  },
};
