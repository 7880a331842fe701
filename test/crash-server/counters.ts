import { isBefore, type Span } from "../history/history.ts";
import { type EventOf, eventsOf, type JobHistory, jobHistories } from "../history/job-history.ts";
import type { Recorder } from "./recorder.ts";

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
export function wrongCounters({ events }: Recorder, counted: readonly Counted[]): string[] {
  const jobs = jobHistories(events);
  const known = new Set(jobs.map(({ submission }) => submission));
  return counted.flatMap(({ endpoint, completed, failed, retried, inQueue, inProgress }) => {
    const own = jobs.filter(({ submission }) => submission.endpoint === endpoint);
    // Of these nobody knows whether they are jobs: they can have timed out in the queue, or been purged.
    const unknown = eventsOf(events, "submission").filter(
      (one) => one.endpoint === endpoint && !known.has(one),
    );
    const ended = (...states: string[]): number =>
      own.filter((job) => states.includes(stateOf(job) ?? "")).length;
    const retries = own.flatMap(({ changes }) => changes.filter(isDoneRetry));
    const acknowledged = retries.filter(({ outcome }) => outcome === "acknowledged").length;
    // Each retry undid an end that had been counted.
    const leastFailed = ended("FAILED", "TIMED_OUT") + acknowledged;
    const mostFailed = leastFailed + retries.length - acknowledged + unknown.length;
    const purges = eventsOf(events, "purge").filter((purge) => purge.endpoint === endpoint);
    const removed = purges.reduce((sum, purge) => sum + (purge.removed ?? 0), 0);
    const gone = own.filter((job) => stateOf(job) === "gone");
    const surelyGone = gone.filter((job) => !canBeUnanswered(job, purges));
    return [
      ...outside(`completed of ${endpoint}`, completed, ended("COMPLETED")),
      ...outside(`failed of ${endpoint}`, failed, leastFailed, mostFailed),
      ...outside(`retried of ${endpoint}`, retried, acknowledged, Infinity),
      ...outside(`inQueue of ${endpoint}`, inQueue, 0),
      ...outside(`inProgress of ${endpoint}`, inProgress, 0),
      ...outside(
        `what purges removed of ${endpoint}`,
        removed,
        surelyGone.length,
        gone.length + unknown.length,
      ),
    ];
  });
}

function isDoneRetry({ kind, outcome }: JobHistory["changes"][number]): boolean {
  return kind === "retry" && outcome !== "refused";
}

function stateOf({ looks }: JobHistory): string | undefined {
  return looks.find(({ isFinal }) => isFinal === true)?.state;
}

/** Whether a purge without an answer can have removed it. */
function canBeUnanswered(
  { looks, submission, handOuts }: JobHistory,
  purges: readonly EventOf<"purge">[],
): boolean {
  const there: Span[] = [submission, ...handOuts, ...looks.filter(({ state }) => state !== "gone")];
  const since = Math.max(...there.map(({ from }) => from));
  const gone = looks.filter(({ state }) => state === "gone");
  return purges.some(
    (purge) =>
      purge.removed === undefined && purge.to >= since && !gone.some((look) => isBefore(look, purge)),
  );
}

function outside(what: string, is: number, least: number, most = least): string[] {
  return is >= least && is <= most ? [] : [`${what} is ${is}, not ${least} to ${most}`];
}
