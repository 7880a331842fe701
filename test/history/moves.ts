import type { Faults } from "./faults.ts";
import { isBefore, type SeenState, type Span } from "./history.ts";
import type { JobHistory } from "./job-history.ts";

interface Sighting extends Span {
  readonly state: SeenState;
}

/** Each move of a job, and what it needs: a call at that time, or a deadline. From docs/states.md. */
const MOVES: readonly { readonly from: SeenState; readonly to: SeenState; readonly needs?: Need }[] = [
  { from: "IN_QUEUE", to: "IN_PROGRESS" },
  { from: "IN_QUEUE", to: "COMPLETED" },
  { from: "IN_QUEUE", to: "CANCELLED", needs: "cancel" },
  { from: "IN_QUEUE", to: "TIMED_OUT", needs: "deadline" },
  { from: "IN_QUEUE", to: "gone", needs: "purge" },
  { from: "IN_PROGRESS", to: "IN_QUEUE" },
  { from: "IN_PROGRESS", to: "COMPLETED" },
  { from: "IN_PROGRESS", to: "FAILED" },
  { from: "IN_PROGRESS", to: "CANCELLED", needs: "cancel" },
  { from: "IN_PROGRESS", to: "TIMED_OUT", needs: "deadline" },
  { from: "FAILED", to: "IN_QUEUE", needs: "retry" },
  { from: "TIMED_OUT", to: "IN_QUEUE", needs: "retry" },
  { from: "COMPLETED", to: "gone", needs: "retention" },
  { from: "FAILED", to: "gone", needs: "retention" },
  { from: "CANCELLED", to: "gone", needs: "retention" },
  { from: "TIMED_OUT", to: "gone", needs: "retention" },
];

type Need = "cancel" | "retry" | "purge" | "deadline" | "retention";

const NOTHING: ReadonlySet<Need> = new Set();

/**
 * Compares each state that a job was seen in with all that came after it: what no moves lead to is illegal,
 * and a job that is gone or has not ended is lost. At most one sentence of each kind.
 */
export function wrongMoves(job: JobHistory): Partial<Faults> {
  const { id } = job;
  const sightings = sightingsOf(job);
  const lost: string[] = [];
  const illegal: string[] = [];
  for (const before of sightings) {
    for (const after of sightings) {
      if (!isBefore(before, after) || canBecome(before.state, after.state, NOTHING)) continue;
      if (canBecome(before.state, after.state, grantedBetween(before, after, job))) continue;
      const told = `job ${id} was ${describe(before)} and then ${describe(after)}`;
      (after.state === "gone" ? lost : illegal).push(told);
    }
  }
  return { lost: [...lost.slice(0, 1), ...unfinished(job)], illegal: illegal.slice(0, 1) };
}

/** What clients read, and what other answers tell as well. */
function sightingsOf({ submission, looks, changes, handOuts, reports }: JobHistory): Sighting[] {
  return [
    ...looks,
    ...(submission.outcome === "acknowledged" ? [{ ...submission, state: "IN_QUEUE" as const }] : []),
    ...changes.flatMap((change) => {
      const { state } = change;
      return state === undefined ? [] : [{ ...change, state }];
    }),
    ...handOuts.map((handOut) => ({ ...handOut, state: "IN_PROGRESS" as const })),
    ...reports.filter(({ outcome }) => outcome === "accepted"),
  ];
}

function unfinished({ id, submission, looks }: JobHistory): string[] {
  const last = looks.filter(({ isFinal }) => isFinal === true);
  const open = last.find(({ state }) => state === "IN_QUEUE" || state === "IN_PROGRESS");
  if (open !== undefined) return [`job ${id} is ${open.state} at the end`];
  return last.length === 0 ? [`job ${id} (${submission.tag}) has no final look`] : [];
}

/** What can have happened after `before` began and before `after` was over. */
function grantedBetween(before: Span, after: Span, { submission, changes, purges }: JobHistory): Set<Need> {
  const granted = new Set<Need>();
  if (submission.mayTimeOut === true) granted.add("deadline");
  if (submission.mayExpire === true) granted.add("retention");
  for (const { kind, outcome, from, to } of [...changes, ...purges]) {
    const isOver = outcome !== "unknown" && to < before.from;
    if (outcome !== "refused" && !isOver && from <= after.to) granted.add(kind);
  }
  return granted;
}

function canBecome(from: SeenState, to: SeenState, granted: ReadonlySet<Need>): boolean {
  const reached = new Set([from]);
  // A set is walked to its end also when it grows meanwhile.
  for (const state of reached) {
    for (const move of MOVES) {
      if (move.from === state && (move.needs === undefined || granted.has(move.needs))) reached.add(move.to);
    }
  }
  return reached.has(to);
}

function describe({ state, from, to }: Sighting): string {
  return `${state} (${from} to ${to})`;
}
