import { storeClosed } from "../../domain/errors.ts";
import type { Step } from "../steps.ts";
import { after, type Lane, monotonicTime } from "./postgres-driver.ts";
import { type PostgresFailure, postgresFailure, unavailable } from "./postgres-failure.ts";
import { isGroupable, nextOf, takesLast } from "./postgres-next-calls.ts";
import { rowCache } from "./postgres-row-cache.ts";
import type { StepAnswer } from "./postgres-run-step.ts";
import {
  type CallSteps,
  type Committed,
  commitStepwise,
  commitTogether,
  type TransactionOptions,
} from "./postgres-transaction.ts";

interface Call extends CallSteps {
  readonly cameAt: number;
  readonly resolve: (answers: StepAnswer[]) => void;
  readonly reject: (error: unknown) => void;
}

export interface GroupCommitOptions {
  /** Each with the counters that it adds to. */
  readonly lanes: readonly { readonly lane: Lane; readonly slot: number }[];
  readonly begin: string;
  /** Whether payloads in rows carry their digest from now on. */
  readonly isDigested: () => boolean;
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

/** Two transactions that collide are repeated so often; each time one of them gets through. */
const TRIES = 5;

/** A call that still collides this long after it came, ms, is refused, and those beside it too. */
const COLLISIONS_TIME = 6_000;

/**
 * A call that has waited this long for a connection, ms, is refused before it begins. With a last try after
 * it, everybody is answered within 15 s.
 */
const WAIT_LIMIT = 9_000;

/** How often calls that wait are looked at, ms. */
const WAIT_LOOK = 500;

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
  isDigested,
  onCommitted,
  onCommit,
  onTransaction,
}: GroupCommitOptions): GroupCommit {
  const idle = [...lanes];
  const cache = rowCache();
  let waiting: Call[] = [];
  let latestTime = 0;
  let isPlanned = false;
  let isWatching = false;
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

  /** Refuses what has waited for too long, as long as anything waits. */
  function watch(): void {
    if (isWatching || waiting.length === 0) return;
    isWatching = true;
    after(WAIT_LOOK, () => {
      isWatching = false;
      const before = monotonicTime() - WAIT_LIMIT;
      const late = waiting.filter(({ cameAt }) => cameAt <= before);
      waiting = waiting.filter(({ cameAt }) => cameAt > before);
      for (const { reject } of late) reject(unavailable(new Error("no connection was free in time")));
      settle(late.length);
      watch();
    });
  }

  function settle(calls: number): void {
    unsettled -= calls;
    if (unsettled === 0) for (const each of onSettled.splice(0)) each();
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
      if (free === undefined) return watch();
      const { together: gathered, later } = nextOf(waiting);
      const together = takesLast(gathered);
      waiting = later;
      waitForOthers();
      void commitAll(free, together).finally(() => {
        idle.push(free);
        if (idle.length === lanes.length) cancelPatience();
        settle(together.length);
        if (waiting.length > 0) plan();
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
    const lateAt = Math.min(...calls.map(({ cameAt }) => cameAt)) + COLLISIONS_TIME;
    const isLate = (): boolean => monotonicTime() > lateAt;
    for (const [index, call] of calls.entries()) {
      const failure = await commitAlone(free, call, isLate);
      const isLast = failure?.kind === "unavailable" || (isOfOthers(failure) && isLate());
      if (failure !== undefined) rejectAll(isLast ? calls.slice(index) : [call], failure);
      if (isLast) return failure;
    }
    return undefined;
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
    const time = { latestTime: isLate ? now : undefined };
    const options = { lane, slot, begin, cache, onCommit, isDigested: isDigested(), ...time };
    let committed: Committed;
    const onDurable = onTransaction?.();
    try {
      const [only] = calls;
      const isOne = calls.length === 1 && only !== undefined && !isGroupable(only);
      committed = isOne ? await commitStepwise(options, only) : await commitTogether(options, calls);
    } catch (error) {
      const failure = postgresFailure(error);
      // After a lost connection nobody knows what was written.
      if (failure.kind === "unavailable") cache.clear();
      else for (const { steps } of calls) cache.forget(steps);
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
        waiting.push({ steps, now, cameAt: monotonicTime(), resolve, reject });
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
