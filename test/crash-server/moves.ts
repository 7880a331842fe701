import { isTerminal, type JobEvent } from "../../src/domain/transitions.ts";
import type { Sighting } from "./history.ts";
import { isBetween, type JobHistory } from "./job-history.ts";
import { canBecome } from "./reach.ts";

/** What is wrong with a job: at most one entry of each kind. */
export interface WrongMoves {
  readonly lost: string[];
  readonly illegal: string[];
  readonly changed: string[];
}

/** Compares each sighting of a job with all that came after it. */
export function wrongMoves(id: string, job: JobHistory, sent: ReadonlySet<string>): WrongMoves {
  const lost: string[] = [];
  const illegal: string[] = [];
  const changed: string[] = [];
  for (const before of job.sightings) {
    for (const after of job.sightings) {
      if (after.from <= before.to) continue;
      const events = possibleBetween(before, after, job);
      const told = `${id} was ${describe(before)} and then ${describe(after)}`;
      if (!canBecome(before.state, after.state, events)) (after.state === "gone" ? lost : illegal).push(told);
      else if (isOtherEnd(before, after, events)) changed.push(told);
      else if (isUndoneRetry(before, after, job, sent))
        changed.push(`${told}, though it was retried between`);
    }
  }
  return { lost: lost.slice(0, 1), illegal: illegal.slice(0, 1), changed: changed.slice(0, 1) };
}

/** What somebody asked for at that time, and deadlines. */
function possibleBetween(before: Sighting, after: Sighting, job: JobHistory): JobEvent[] {
  const verbs = new Set(
    job.requests.filter((request) => isBetween(before, request, after)).map(({ verb }) => verb),
  );
  const isPurged = job.purges.some((purge) => isBetween(before, purge, after));
  return [
    ...verbs,
    ...(isPurged ? (["purge"] as const) : []),
    ...(job.submission.mayTimeOut ? (["timeOut"] as const) : []),
  ];
}

/** A job that has ended stays what it is, unless it was retried. */
function isOtherEnd(before: Sighting, after: Sighting, events: readonly JobEvent[]): boolean {
  if (before.state === "gone" || !isTerminal(before.state) || before.state !== after.state) return false;
  const isRetryable = before.state === "FAILED" || before.state === "TIMED_OUT";
  if (isRetryable && events.includes("retry")) return false;
  return differ(before.result, after.result) || differ(before.record, after.record);
}

function differ(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}

/** Errors of workers are all different, so after a retry none comes again. */
function isUndoneRetry(
  before: Sighting,
  after: Sighting,
  { requests }: JobHistory,
  sent: ReadonlySet<string>,
): boolean {
  const { id, result } = before;
  if (before.state !== "FAILED" || after.state !== "FAILED" || result !== after.result) return false;
  if (!sent.has(`${id} ${result}`)) return false;
  return requests.some(
    ({ verb, isAcknowledged, from, to }) =>
      verb === "retry" && isAcknowledged && from > before.to && to < after.from,
  );
}

function describe({ state, from, to, result }: Sighting): string {
  return `${state}${result === undefined ? "" : ` with ${result}`} (${from} to ${to})`;
}
