import { storeClosed } from "../../domain/errors.ts";
import { isStored, sizeOf } from "../../domain/payload.ts";
import { namedBy } from "../named-payloads.ts";
import type { Step } from "../steps.ts";
import { after, type Lane } from "./postgres-driver.ts";
import { type PostgresFailure, postgresFailure, unavailable } from "./postgres-failure.ts";
import { knownRows } from "./postgres-known-rows.ts";
import { isLone, type StepAnswer } from "./postgres-run-step.ts";
import {
  type CallSteps,
  type Committed,
  commitStepwise,
  commitTogether,
  type TransactionOptions,
} from "./postgres-transaction.ts";
import { keyOf } from "./postgres-unit.ts";

interface Call extends CallSteps {
  readonly resolve: (answers: StepAnswer[]) => void;
  readonly reject: (error: unknown) => void;
}

export interface GroupCommitOptions {
  /** Each with the counters that it adds to. */
  readonly lanes: readonly { readonly lane: Lane; readonly slot: number }[];
  readonly begin: string;
  /** Called after each commit, before the callers learn of it. */
  readonly onCommitted: (committed: Committed) => void;
  readonly onCommit: TransactionOptions["onCommit"];
  /** Called when a transaction begins; what it answers, with its steps when they are durable. */
  readonly onTransaction: (() => (steps: number) => void) | undefined;
}

export interface GroupCommit {
  /** Rejects with SHUTTING_DOWN after `close`. */
  apply(steps: readonly Step[], now: number): Promise<StepAnswer[]>;
  /** Takes no further call, and resolves when every call so far has its answer. */
  close(): Promise<void>;
}

/** So many steps share a transaction at most: it must not hold its locks for long. */
const STEPS_TOGETHER = 256;

/** Bytes of payloads that travel together at most, when there is more than one call. */
const BYTES_TOGETHER = 4 * 1_048_576;

/** Two transactions that collide are repeated so often; each time one of them gets through. */
const TRIES = 5;

/** What collides still after so long, ms, waits for somebody who stands still: nobody waits with it. */
const COLLISIONS_TIME = 9_000;

const LATEST_TIME_EVERY = 1_000;

/** So many steps, or a transaction that is under way for so long, ms, start another one beside it. */
const STEPS_APART = 32;
const PATIENCE = 25;

/**
 * All calls that arrive while the transactions before them are under way share the next one, and so one
 * commit. A call that fails is undone alone: the transaction is rolled back, and each of its calls repeated
 * in one of its own.
 */
export function groupCommit({
  lanes,
  begin,
  onCommitted,
  onCommit,
  onTransaction,
}: GroupCommitOptions): GroupCommit {
  const idle = [...lanes];
  const known = knownRows();
  let waiting: Call[] = [];
  let latestTime = 0;
  let isPlanned = false;
  let isClosed = false;
  /** The newest transaction has been under way for so long that another one begins beside it. */
  let isImpatient = false;
  let cancelPatience = (): void => undefined;
  let unsettled = 0;
  let onSettled: (() => void)[] = [];

  function plan(): void {
    if (isPlanned) return;
    isPlanned = true;
    setImmediate(() => {
      isPlanned = false;
      dispatch();
    });
  }

  /** Whether it is better to fill the next transaction than to begin it: a small one costs almost as much. */
  function mayFill(): boolean {
    if (isImpatient || idle.length === lanes.length) return false;
    return waiting.reduce((steps, call) => steps + call.steps.length, 0) < STEPS_APART;
  }

  function waitForOthers(): void {
    cancelPatience();
    isImpatient = false;
    cancelPatience = after(PATIENCE, () => {
      isImpatient = true;
      plan();
    });
  }

  function dispatch(): void {
    while (waiting.length > 0 && !mayFill()) {
      const free = idle.pop();
      if (free === undefined) return;
      const { together: gathered, later } = nextOf(waiting);
      const together = takesLast(gathered);
      waiting = later;
      waitForOthers();
      void commitAll(free, together).finally(() => {
        idle.push(free);
        if (idle.length === lanes.length) cancelPatience();
        unsettled -= together.length;
        if (waiting.length > 0) plan();
        if (unsettled === 0) for (const settle of onSettled.splice(0)) settle();
      });
    }
  }

  async function commitAll(free: (typeof lanes)[number], calls: readonly Call[]): Promise<void> {
    let failure = await tryOnce(free, calls);
    if (failure?.kind === "stale") failure = await tryOnce(free, calls);
    const isRepeated = calls.length > 1 || isOfOthers(failure);
    if (failure !== undefined && failure.kind !== "unavailable" && isRepeated) {
      failure = await commitEach(free, calls);
    } else if (failure !== undefined) rejectAll(calls, failure);
    // Last: it can take a while, and nobody waits for it.
    if (failure?.kind === "unavailable") await free.lane.renew();
  }

  /**
   * Each of the calls in a transaction of its own, until one of them learns that nobody can be asked, or that
   * it would wait for too long.
   */
  async function commitEach(
    free: (typeof lanes)[number],
    calls: readonly Call[],
  ): Promise<PostgresFailure | undefined> {
    let isLate = false;
    const cancel = after(COLLISIONS_TIME, () => (isLate = true));
    try {
      for (const [index, call] of calls.entries()) {
        const failure = await commitAlone(free, call, () => isLate);
        const isLast = failure?.kind === "unavailable" || (isOfOthers(failure) && isLate);
        if (failure !== undefined) rejectAll(isLast ? calls.slice(index) : [call], failure);
        if (isLast) return failure;
      }
      return undefined;
    } finally {
      cancel();
    }
  }

  async function commitAlone(
    free: (typeof lanes)[number],
    call: Call,
    isLate: () => boolean,
  ): Promise<PostgresFailure | undefined> {
    for (let left = TRIES; ; left--) {
      const failure = await tryOnce(free, [call]);
      if (!isOfOthers(failure) || left === 1 || isLate()) return failure;
    }
  }

  async function tryOnce({ lane, slot }: (typeof lanes)[number], calls: readonly Call[]) {
    const now = Math.max(...calls.map((call) => call.now));
    const isLate = now >= latestTime + LATEST_TIME_EVERY;
    const options = { lane, slot, begin, known, onCommit, latestTime: isLate ? now : undefined };
    let committed: Committed;
    const onDurable = onTransaction?.();
    try {
      const [only] = calls;
      const isOne = calls.length === 1 && only !== undefined && !isGroupable(only);
      committed = isOne ? await commitStepwise(options, only) : await commitTogether(options, calls);
    } catch (error) {
      const failure = postgresFailure(error);
      // Not even a row of which it is not known whether it was written.
      if (failure.kind === "unavailable") known.clear();
      else for (const { steps } of calls) known.forget(steps);
      return failure;
    }
    onDurable?.(calls.reduce((steps, call) => steps + call.steps.length, 0));
    if (isLate) latestTime = Math.max(now, latestTime);
    // From here on nothing may fail the calls any more: they are durable.
    for (const [index, call] of calls.entries()) call.resolve(committed.answers[index] ?? []);
    onCommitted(committed);
    return undefined;
  }

  return {
    apply(steps, now) {
      if (isClosed) return Promise.reject(storeClosed());
      unsettled++;
      return new Promise((resolve, reject) => {
        waiting.push({ steps, now, resolve, reject });
        plan();
      });
    },
    async close() {
      isClosed = true;
      if (unsettled > 0) await new Promise<void>((resolve) => onSettled.push(resolve));
    },
  };
}

/** Whether others were in the way, and another try can succeed. */
function isOfOthers(failure: PostgresFailure | undefined): boolean {
  return failure?.kind === "collision" || failure?.kind === "stale";
}

/** What has collided so often with others waits for one that waits itself: for a standby, for example. */
function rejectAll(calls: readonly Call[], failure: PostgresFailure): void {
  const error = isOfOthers(failure) ? unavailable(failure.error) : failure.error;
  for (const call of calls) call.reject(error);
}

/**
 * The calls in an order in which takes find what the others bring: a job that is stored and handed out in one
 * transaction is written once. All of them are under way together, so that any order is one they could have
 * come in.
 */
function takesLast(calls: readonly Call[]): Call[] {
  const takes = (call: Call): boolean => call.steps.some(({ step }) => step === "take");
  return [...calls.filter((call) => !takes(call)), ...calls.filter(takes)];
}

/** The calls that share the next transaction, the first of all among them, and those that wait on. */
function nextOf(waiting: readonly Call[]): { together: Call[]; later: Call[] } {
  const [first, ...others] = waiting;
  if (first === undefined || !isGroupable(first)) {
    return { together: first === undefined ? [] : [first], later: others };
  }
  const together: Call[] = [];
  const later: Call[] = [];
  const touched = new Set<string>();
  const drained = new Set<string>();
  const limit = Math.max(STEPS_TOGETHER, first.steps.length);
  let steps = 0;
  let bytes = 0;
  for (const [index, call] of waiting.entries()) {
    if (steps >= limit || bytes >= BYTES_TOGETHER) {
      later.push(...waiting.slice(index));
      break;
    }
    const keys = call.steps.map(jobKeyOf).filter((key) => key !== undefined);
    const isDrain = call.steps[0]?.step === "drain";
    // What a drain answers is read before the others are decided.
    const isFree = keys.every((key) => !drained.has(key) && !(isDrain && touched.has(key)));
    if (!isFree || !isGroupable(call) || steps + call.steps.length > limit) {
      later.push(call);
      continue;
    }
    together.push(call);
    steps += call.steps.length;
    bytes += bytesOf(call);
    for (const key of keys) (isDrain ? drained : touched).add(key);
  }
  return { together, later };
}

/** Whether all that the steps need can be read before the first of them is decided. */
function isGroupable({ steps }: CallSteps): boolean {
  const isRead = (step: Step) => step.step === "drain";
  return !steps.some(isLone) && (steps.length === 1 || !steps.some(isRead));
}

/** What of its payloads travels with the steps. */
function bytesOf({ steps }: CallSteps): number {
  const payloads = steps.flatMap(namedBy).filter((payload) => !isStored(payload));
  return payloads.reduce((sum, payload) => sum + sizeOf(payload), 0);
}

function jobKeyOf(step: Step): string | undefined {
  return "endpoint" in step && "id" in step ? keyOf(step.endpoint, step.id) : undefined;
}
