import { isDeepStrictEqual } from "node:util";
import type { Payload } from "../../src/domain/payload.ts";
import type { Counts } from "../../src/store/store.ts";
import type { ModelJob } from "../model/model-job.ts";
import { rowOf } from "../model/model-row.ts";
import { belief, type Branch } from "./belief.ts";
import { type CounterBounds, counterBounds, type EventCounts, NO_EVENTS } from "./counter-bounds.ts";
import { gistOf } from "./gist.ts";
import type { Call } from "./history.ts";
import type { Found } from "./inspect.ts";
import type { SubmissionDigests } from "./inspect-files.ts";
import { payloadDigest } from "./named-payload.ts";

/**
 * Compares whole rows with the model of one job, where the history checker compares states: it also finds a
 * wrong byte, deadline, counter or file, and half a call.
 */
export interface Checker {
  /** Takes the calls of one process into account; it began where the one before it was killed. */
  learn(calls: readonly Call[]): void;
  /** All jobs that may be there. */
  ids(): string[];
  /** What cannot be true after all calls since the last check. The next one goes on from what is found. */
  check(found: Found): string[];
}

/** A checker of a store to which nothing has happened but that it was prepared, at the time `start`. */
export function checker(start: number): Checker {
  const { learn, branches, ids, settle } = belief();
  let answersWrong: string[] = [];
  let bounds: CounterBounds = { least: NO_EVENTS, most: NO_EVENTS };
  let latest = { acknowledged: start, invoked: start };
  let before: Found | undefined;

  return {
    learn(calls) {
      for (const call of calls) {
        answersWrong.push(...learn(call));
        const acknowledged = call.outcome.kind === "ok" ? call.now : 0;
        latest = {
          acknowledged: Math.max(latest.acknowledged, acknowledged),
          invoked: Math.max(latest.invoked, call.now),
        };
      }
      bounds = counterBounds(bounds, calls);
    },

    ids,

    check(found) {
      const wrong = [...answersWrong, ...found.faults];
      const left = new Map<string, readonly Branch[]>();
      for (const id of new Set([...ids(), ...found.submissions.keys()])) {
        const possible = branches(id);
        const legal = possible.filter(({ job }) => isFound(job, id, found));
        if (legal.length > 0) left.set(id, legal);
        else wrong.push(`${id} is ${describe(id, found)}, and should be ${describeAll(possible)}`);
      }
      wrong.push(...tornCalls(left), ...fallen(before, found), ...wrongCounters(left, found, bounds));
      if (found.latestTime < latest.acknowledged - 1_000 || found.latestTime > latest.invoked) {
        wrong.push(`the latest time is ${found.latestTime}, and ${JSON.stringify(latest)} was given`);
      }

      for (const [id, legal] of left) settle(id, legal);
      answersWrong = [];
      bounds = { least: found.counts, most: found.counts };
      before = found;
      return wrong;
    },
  };
}

function isFound(job: ModelJob | undefined, id: string, found: Found): boolean {
  const submission = found.submissions.get(id);
  const actual = found.jobs.get(id);
  if (job === undefined) return submission === undefined && actual === undefined;
  if (submission === undefined || actual === undefined) return false;
  return (
    gistOf(rowOf(job)) === gistOf(actual.record) &&
    submission.body === digest(job.body) &&
    submission.secret === digest(job.secret) &&
    actual.output === digest(job.output) &&
    actual.error === digest(job.error) &&
    actual.progress === digest(job.progress) &&
    isDeepStrictEqual(actual.chunks, job.chunks.map(digest))
  );
}

function digest(payload: Payload | undefined): string | undefined {
  return payload && payloadDigest(payload);
}

/** Calls that one job shows to have happened and another one not to have. */
function tornCalls(left: ReadonlyMap<string, readonly Branch[]>): string[] {
  const shown = new Map<number, Map<boolean, string>>();
  for (const [id, legal] of left) {
    for (const call of new Set(legal.flatMap(({ assumed }) => [...assumed.keys()]))) {
      const [first, ...rest] = legal.map(({ assumed }) => assumed.get(call));
      if (first === undefined || rest.some((happened) => happened !== first)) continue;
      shown.set(call, (shown.get(call) ?? new Map<boolean, string>()).set(first, id));
    }
  }
  return [...shown].flatMap(([call, jobs]) => {
    const [done, undone] = [jobs.get(true), jobs.get(false)];
    return done && undone ? [`call ${call} happened to ${done} and not to ${undone}`] : [];
  });
}

/** Attempts and positions that are lower than they were. */
function fallen(before: Found | undefined, found: Found): string[] {
  return [...found.jobs].flatMap(([id, { record }]) => {
    const was = before?.jobs.get(id)?.record;
    return was && (record.attempt < was.attempt || record.position < was.position)
      ? [`${id} fell from attempt ${was.attempt} at ${was.position} to ${describe(id, found)}`]
      : [];
  });
}

function wrongCounters(
  left: ReadonlyMap<string, readonly Branch[]>,
  { jobs, counts, submissions }: Found,
  { least, most }: CounterBounds,
): string[] {
  const inState = (state: string) => [...jobs].filter(([, { record }]) => record.state === state);
  const queued = inState("IN_QUEUE");
  const recount: Partial<Counts> = {
    queued: queued.length,
    queuedLowPriority: queued.filter(([id]) => left.get(id)?.[0]?.job?.lowPriority).length,
    queuedBytes: queued.reduce((sum, [id]) => sum + submittedBytes(submissions.get(id)), 0),
    running: inState("IN_PROGRESS").length,
  };
  const { queued: q, queuedLowPriority, queuedBytes, running, ...events } = counts;
  const wrong = (Object.keys(NO_EVENTS) as (keyof EventCounts)[])
    .filter((counter) => events[counter] < least[counter] || events[counter] > most[counter])
    .map((counter) => `${counter} is ${events[counter]}, not ${least[counter]} to ${most[counter]}`);
  return isDeepStrictEqual(recount, { queued: q, queuedLowPriority, queuedBytes, running })
    ? wrong
    : [...wrong, `the counters are ${JSON.stringify(counts)}, a recount gives ${JSON.stringify(recount)}`];
}

function submittedBytes(submission: SubmissionDigests | undefined): number {
  return Number.parseInt(submission?.body ?? "0") + Number.parseInt(submission?.secret ?? "0");
}

function describe(id: string, found: Found): string {
  const job = found.jobs.get(id);
  const { record, ...payloads } = job ?? {};
  return job === undefined ? "absent" : `${gistOf(record)} with ${JSON.stringify(payloads)}`;
}

function describeAll(branches: readonly Branch[]): string {
  return branches
    .map(({ job, assumed }) => {
      const given = assumed.size > 0 ? ` (if ${JSON.stringify([...assumed])})` : "";
      return `${job === undefined ? "absent" : JSON.stringify(job)}${given}`;
    })
    .join(" or ");
}
