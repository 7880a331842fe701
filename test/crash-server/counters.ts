import type { History } from "./history.ts";
import { isBetween, type JobHistory } from "./job-history.ts";

/** The counters of an endpoint when all its jobs have ended. */
export interface Counted {
  readonly endpoint: string;
  readonly completed: number;
  readonly failed: number;
  readonly retried: number;
  readonly inQueue: number;
  readonly inProgress: number;
}

/** Counters that the jobs of their endpoint contradict. */
export function wrongCounters(
  history: History,
  jobs: ReadonlyMap<string, JobHistory>,
  counted: readonly Counted[],
): string[] {
  return counted.flatMap(({ endpoint, completed, failed, retried, inQueue, inProgress }) => {
    const own = [...jobs.values()].filter(({ submission }) => submission.endpoint === endpoint);
    const ended = (...states: string[]): number =>
      own.filter(({ sightings }) => states.includes(sightings.at(-1)?.state ?? "")).length;
    const retries = own.flatMap(({ requests }) => requests).filter(({ verb }) => verb === "retry");
    const acknowledged = retries.filter(({ isAcknowledged }) => isAcknowledged).length;
    // Each retry undid an end that had been counted; what nobody knows of can have timed out in the queue.
    const leastFailed = ended("FAILED", "TIMED_OUT") + acknowledged;
    const mostFailed = leastFailed + retries.length - acknowledged + unknownJobs(history, jobs, endpoint);
    return [
      ...outside(`completed of ${endpoint}`, completed, ended("COMPLETED")),
      ...outside(`failed of ${endpoint}`, failed, leastFailed, mostFailed),
      ...outside(`retried of ${endpoint}`, retried, acknowledged, Infinity),
      ...outside(`inQueue of ${endpoint}`, inQueue, 0),
      ...outside(`inProgress of ${endpoint}`, inProgress, 0),
      ...wrongPurges(history, jobs, endpoint, own),
    ];
  });
}

/** What purges say that they have removed, against what is gone. */
function wrongPurges(
  history: History,
  jobs: ReadonlyMap<string, JobHistory>,
  endpoint: string,
  own: readonly JobHistory[],
): string[] {
  const purges = history.purges.filter((purge) => purge.endpoint === endpoint);
  const gone = own.filter(({ sightings }) => sightings.at(-1)?.state === "gone");
  // Not those that a purge without an answer can have removed.
  const surely = gone.filter(({ sightings }) => {
    const there = sightings.findLast(({ state }) => state !== "gone");
    const missing = sightings.find(({ state }) => state === "gone");
    if (there === undefined || missing === undefined) return false;
    return purges.every(({ removed, ...span }) => removed !== undefined || !isBetween(there, span, missing));
  });
  const removed = purges.reduce((sum, purge) => sum + (purge.removed ?? 0), 0);
  const most = gone.length + unknownJobs(history, jobs, endpoint);
  return outside(`what purges removed of ${endpoint}`, removed, surely.length, most);
}

/** Submissions without an answer whose job, if there is one, no worker has got. */
function unknownJobs(history: History, jobs: ReadonlyMap<string, JobHistory>, endpoint: string): number {
  const known = new Set([...jobs.values()].map(({ submission }) => submission.tag));
  return history.submissions.filter((one) => one.endpoint === endpoint && !known.has(one.tag)).length;
}

function outside(what: string, is: number, least: number, most = least): string[] {
  return is >= least && is <= most ? [] : [`${what} is ${is}, not ${least} to ${most}`];
}
