import type { Engine } from "../engine/engine.ts";
import { forgetGoneServers } from "../engine/gone-servers.ts";
import { trimHistory } from "../engine/history.ts";
import type { PolicyIn } from "../engine/job-operations/act-on-job.ts";
import { runJobOperations } from "../engine/job-operations/run-operations.ts";
import { drainDeleted } from "../engine/records/delete-endpoint.ts";
import { forgetLeftTemplates } from "../engine/records/own-template.ts";
import { forgetStatistics } from "../engine/statistics/statistics.ts";
import { forgetDeliveries, forgetExpired, sweepDeadlines, sweepSilentWorkers } from "../engine/sweep.ts";
import type { BackgroundJob } from "./run-background-jobs.ts";

/** Servers are known twice a second anyway. ms. */
const GONE_SERVERS_INTERVAL = 10_000;

/** The request that deleted the endpoint has its answer, so nobody waits. ms. */
const DELETED_ENDPOINTS_INTERVAL = 500;

const STATISTICS_INTERVAL = 10_000;

const HISTORY_INTERVAL = 10_000;

/** The request that began the operation has its answer, and shows progress. ms. */
const OPERATIONS_INTERVAL = 200;

/** What the leader does for all servers that share its data. */
export function leaderJobs(engine: Engine, policyIn: PolicyIn): BackgroundJob[] {
  return [
    ...deadlineJobs(engine),
    ...goneServerJobs(engine),
    deletedEndpointsJob(engine),
    { name: "forget statistics", every: STATISTICS_INTERVAL, run: () => forgetStatistics(engine) },
    {
      name: "operations on jobs",
      every: OPERATIONS_INTERVAL,
      run: () => runJobOperations(engine, policyIn),
    },
    { name: "forget history", every: HISTORY_INTERVAL, run: () => trimHistory(engine) },
  ];
}

/** Everything that happens to a job because time has passed. */
export function deadlineJobs(engine: Engine): BackgroundJob[] {
  const every = engine.durations.sweepInterval;
  return [
    { name: "deadlines", every, run: (leasesHold) => sweepDeadlines(engine, leasesHold) },
    {
      name: "silent workers",
      every,
      run: async (leasesHold) => (leasesHold ? undefined : sweepSilentWorkers(engine)),
    },
    { name: "forget", every, run: () => forgetExpired(engine) },
    { name: "forget webhooks", every, run: () => forgetDeliveries(engine) },
  ];
}

/** Endpoints that are being deleted, and templates of their own that endpoints have left. */
function deletedEndpointsJob(engine: Engine): BackgroundJob {
  const leftSince = new Map<string, number>();
  return {
    name: "deleted endpoints",
    every: DELETED_ENDPOINTS_INTERVAL,
    async run() {
      await drainDeleted(engine);
      await forgetLeftTemplates(engine, leftSince);
    },
  };
}

/** Removes what servers leave behind that do not return. A server alone has none. */
function goneServerJobs(engine: Engine): BackgroundJob[] {
  const { shared } = engine.store;
  if (shared === undefined) return [];
  const missedSince = new Map<string, number>();
  return [
    {
      name: "gone servers",
      every: GONE_SERVERS_INTERVAL,
      async run() {
        await forgetGoneServers(engine, shared, missedSince);
        await shared.forgetRates(engine.clock.now());
      },
    },
  ];
}
