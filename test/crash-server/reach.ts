import { JOB_STATES, type JobEvent, TRANSITIONS } from "../../src/domain/transitions.ts";
import type { SeenState } from "./history.ts";

/** What happens to a job without being asked for, at any time. */
const ALWAYS: readonly JobEvent[] = ["take", "complete", "fail", "giveBack", "giveUp"];

const known = new Map<string, ReadonlySet<SeenState>>();

/** Whether a job in one state can be in the other one later, if these events may have happened as well. */
export function canBecome(from: SeenState, to: SeenState, possible: readonly JobEvent[]): boolean {
  const key = [from, ...possible].join();
  const reached = known.get(key) ?? closure(from, new Set([...ALWAYS, ...possible]));
  known.set(key, reached);
  return reached.has(to);
}

function closure(start: SeenState, events: ReadonlySet<JobEvent>): ReadonlySet<SeenState> {
  const reached = new Set([start]);
  // A set is walked to its end also when it grows meanwhile.
  for (const state of reached) {
    for (const event of events) {
      const { from, to = "gone" } = TRANSITIONS[event];
      if (JOB_STATES.some((known) => known === state && includes(from, known))) reached.add(to);
    }
  }
  return reached;
}

function includes(states: readonly SeenState[], state: SeenState): boolean {
  return states.includes(state);
}
