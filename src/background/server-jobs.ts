import type { Engine } from "../engine/engine.ts";
import { recordEnded } from "../engine/history.ts";
import { forgetCalls } from "../engine/sweep.ts";
import { lookAgain, offerWaiting } from "../engine/wake.ts";
import type { BackgroundJob } from "./run-background-jobs.ts";

/** A notification can be lost. A poll finds what it was about at the latest after this, ms. */
const POLL = 1_000;

const FORGET_CALLS_INTERVAL = 10_000;

/** How often we see whether statistics are due, ms. */
const STATISTICS_INTERVAL = 1_000;

/** How long a job that has left the queue may count against the limit of queued bytes, ms. */
const QUEUED_BYTES_INTERVAL = 1_000;

/** How often we ask the database for the time, ms: two clocks differ by less than 1 in 1,000. */
const TIME_INTERVAL = 10_000;

/** How often a server says that it lives, and learns which others live, ms. */
const MEET_INTERVAL = 500;

/** Each server offers waiting jobs to the calls that it holds, and forgets calls that ended. */
export function callJobs(engine: Engine): BackgroundJob[] {
  return [
    { name: "offer", every: POLL, run: () => offerWaiting(engine) },
    { name: "forget calls", every: FORGET_CALLS_INTERVAL, run: async () => forgetCalls(engine) },
  ];
}

/** Each server stores what it has counted, and reads the bytes that all servers have in the queue. */
export function counterJobs({ statistics, queuedBytes }: Engine): BackgroundJob[] {
  return [
    { name: "statistics", every: STATISTICS_INTERVAL, run: () => statistics.flushInTime() },
    { name: "queued bytes", every: QUEUED_BYTES_INTERVAL, run: () => queuedBytes.look() },
  ];
}

/** How often the records of jobs that have ended are written, ms. */
const HISTORY_INTERVAL = 1_000;

/** Each server writes the records of the jobs that it has ended. */
export function historyJobs(engine: Engine): BackgroundJob[] {
  return [{ name: "history", every: HISTORY_INTERVAL, run: () => recordEnded(engine) }];
}

/** What servers agree on, besides what the engine does. */
export interface SharedActions {
  /** Sets the clock to the time of the database. */
  readonly steer: (now: number) => void;
  /** Notifies the others of rate limits that they need not consider any more. */
  readonly tellLimits: () => Promise<void>;
}

/** Keeps servers that share a database in agreement. A server alone has none of these jobs. */
export function sharedDataJobs(engine: Engine, { steer, tellLimits }: SharedActions): BackgroundJob[] {
  const { peers, store } = engine;
  const { shared } = store;
  if (shared === undefined || peers === undefined) return [];
  return [
    { name: "look again", every: POLL, run: () => lookAgain(engine) },
    { name: "time", every: TIME_INTERVAL, run: async () => steer(await shared.time()) },
    {
      name: "meet",
      every: MEET_INTERVAL,
      async run() {
        await peers.meet();
        await tellLimits();
      },
    },
  ];
}
