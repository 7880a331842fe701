/**
 * Every move that a job can make, as data (spec section 3). An event names the only states it may leave and
 * the one state it leads to; `undefined` as target means that the row is removed. Nothing else in the code
 * names a target state.
 */
export const JOB_STATES = [
  "IN_QUEUE",
  "IN_PROGRESS",
  "COMPLETED",
  "FAILED",
  "CANCELLED",
  "TIMED_OUT",
] as const;

export type JobState = (typeof JOB_STATES)[number];

interface Transition {
  readonly from: readonly JobState[];
  readonly to: JobState | undefined;
}

export type UnfinishedState = "IN_QUEUE" | "IN_PROGRESS";

export function isUnfinished(state: JobState | undefined): state is UnfinishedState {
  return state === "IN_QUEUE" || state === "IN_PROGRESS";
}

const TERMINAL_STATES = ["COMPLETED", "FAILED", "CANCELLED", "TIMED_OUT"] as const;

export const TRANSITIONS = {
  /** A submission was accepted. */
  enqueue: { from: [], to: "IN_QUEUE" },
  /** A worker gets the job: a new attempt. */
  take: { from: ["IN_QUEUE"], to: "IN_PROGRESS" },
  /** The worker reported a result without an error. */
  complete: { from: ["IN_PROGRESS"], to: "COMPLETED" },
  /** The worker of an attempt that was given back reported its result after all (decision 0033). */
  completeLate: { from: ["IN_QUEUE", "IN_PROGRESS"], to: "COMPLETED" },
  /** The worker reported an error, or a result that cannot be kept. */
  fail: { from: ["IN_PROGRESS"], to: "FAILED" },
  /** The attempt's worker is lost, denied the job or was drained: another attempt follows. */
  giveBack: { from: ["IN_PROGRESS"], to: "IN_QUEUE" },
  /** The same, but the job has used up its attempts. */
  giveUp: { from: ["IN_PROGRESS"], to: "FAILED" },
  /** Output of the job cannot be kept: it is too much, or not what it should be. */
  cutOff: { from: ["IN_PROGRESS"], to: "FAILED" },
  /** The execution timeout of a running job, or the ttl of an unfinished one, is over. */
  timeOut: { from: ["IN_QUEUE", "IN_PROGRESS"], to: "TIMED_OUT" },
  cancel: { from: ["IN_QUEUE", "IN_PROGRESS"], to: "CANCELLED" },
  retry: { from: ["FAILED", "TIMED_OUT"], to: "IN_QUEUE" },
  purge: { from: ["IN_QUEUE"], to: undefined },
  /** The retention of a finished job is over. */
  forget: { from: TERMINAL_STATES, to: undefined },
} as const satisfies Record<string, Transition>;

export type JobEvent = keyof typeof TRANSITIONS;

/** The events by which a step ends a job; `complete` becomes `completeLate` where the result is late. */
export type EndEvent = "complete" | "fail" | "giveUp" | "cutOff" | "timeOut";

/** Whether the worker of a job that ended so still runs it, until it is known to have stopped. */
export function leavesRunning(event: EndEvent): boolean {
  return event === "timeOut" || event === "cutOff";
}

export function isTerminal(state: JobState): boolean {
  return !isUnfinished(state);
}

/** Whether `event` may happen to a job in `state`. */
export function permits(event: JobEvent, state: JobState): boolean {
  const from: readonly JobState[] = TRANSITIONS[event].from;
  return from.includes(state);
}
