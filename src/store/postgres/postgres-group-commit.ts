import { storeClosed } from "../../domain/errors.ts";
import type { Step } from "../steps.ts";
import { after, monotonicTime, type SingleConnection } from "./postgres-driver.ts";
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
} from "./postgres-commit.ts";

interface Call extends CallSteps {
  readonly cameAt: number;
  readonly resolve: (answers: StepAnswer[]) => void;
  readonly reject: (error: unknown) => void;
}

/** A connection for transactions, with the counters that they add to. */
export interface CommitConnection {
  readonly connection: SingleConnection;
  readonly slot: number;
}

export interface GroupCommitOptions {
  readonly connections: readonly CommitConnection[];
  readonly begin: string;
  /** Whether payloads in rows carry their digest from now on. */
  readonly isDigested: () => boolean;
  /** Called after each commit, before the callers learn of it. */
  readonly onCommitted: (committed: Committed) => void;
  readonly onCommit: TransactionOptions["onCommit"];
  /** Called when a transaction begins; what it answers, with its steps when they are durable. */
  readonly onTransaction: (() => (steps: number) => void) | undefined;
}

/** Two transactions that collide are repeated so often; each time one of them gets through. */
const TRIES = 5;

/** A call that still collides this long after it came, ms, is refused, and those of its transaction too. */
const COLLISIONS_TIME = 6_000;

/**
 * A call that has waited this long for a connection, ms, is refused before it begins. With a last try after
 * it, everybody is answered within 15 s.
 */
const WAIT_LIMIT = 9_000;

/** How often calls that wait are looked at, ms. */
const WAIT_LOOK = 500;

const LATEST_TIME_EVERY = 1_000;

/** With so many steps, or when the last transaction has run for so long, ms, another one begins. */
const STEPS_APART = 32;
const PATIENCE = 25;

/**
 * All calls that arrive while the transactions before them are under way share the next one, and so one
 * commit. A call that fails is undone alone: the transaction is rolled back, and each of its calls repeated
 * in one of its own.
 */
export class GroupCommit {
  readonly #connections: number;
  readonly #idle: CommitConnection[];
  readonly #commits: Commits;
  #waiting: Call[] = [];
  #isPlanned = false;
  #isWatching = false;
  #isClosed = false;
  /** The newest transaction has run for so long that another one begins. */
  #isImpatient = false;
  #cancelPatience = (): void => undefined;
  #unsettled = 0;
  readonly #onSettled: (() => void)[] = [];

  constructor(options: GroupCommitOptions) {
    this.#connections = options.connections.length;
    this.#idle = [...options.connections];
    this.#commits = new Commits(options);
  }

  /** Rejects with SHUTTING_DOWN after `close`. */
  apply(steps: readonly Step[], now: number): Promise<StepAnswer[]> {
    if (this.#isClosed) return Promise.reject(storeClosed());
    this.#unsettled++;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ steps, now, cameAt: monotonicTime(), resolve, reject });
      this.#plan();
    });
  }

  /** Takes no further call, and resolves when every call so far has its answer. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#unsettled > 0) await new Promise<void>((resolve) => this.#onSettled.push(resolve));
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      this.#dispatch();
    });
  }

  #dispatch(): void {
    while (this.#waiting.length > 0 && !this.#mayFill()) {
      const free = this.#idle.pop();
      if (free === undefined) return this.#watch();
      const { together: gathered, later } = nextOf(this.#waiting);
      const together = takesLast(gathered);
      this.#waiting = later;
      this.#waitForOthers();
      void this.#commits.commitAll(free, together).finally(() => {
        this.#idle.push(free);
        if (this.#idle.length === this.#connections) this.#cancelPatience();
        this.#settle(together.length);
        if (this.#waiting.length > 0) this.#plan();
      });
    }
  }

  /** Whether it is better to fill the next transaction than to begin it: a small one costs almost as much. */
  #mayFill(): boolean {
    if (this.#isImpatient || this.#idle.length === this.#connections) return false;
    return stepsOf(this.#waiting) < STEPS_APART;
  }

  #waitForOthers(): void {
    this.#cancelPatience();
    this.#isImpatient = false;
    this.#cancelPatience = after(PATIENCE, () => {
      this.#isImpatient = true;
      this.#plan();
    });
  }

  /** Refuses what has waited for too long, as long as anything waits. */
  #watch(): void {
    if (this.#isWatching || this.#waiting.length === 0) return;
    this.#isWatching = true;
    after(WAIT_LOOK, () => {
      this.#isWatching = false;
      const before = monotonicTime() - WAIT_LIMIT;
      const late = this.#waiting.filter(({ cameAt }) => cameAt <= before);
      this.#waiting = this.#waiting.filter(({ cameAt }) => cameAt > before);
      for (const { reject } of late) reject(unavailable(new Error("no connection was free in time")));
      this.#settle(late.length);
      this.#watch();
    });
  }

  #settle(calls: number): void {
    this.#unsettled -= calls;
    if (this.#unsettled === 0) for (const each of this.#onSettled.splice(0)) each();
  }
}

/** Commits calls, and repeats them where that can succeed. */
class Commits {
  readonly #options: GroupCommitOptions;
  readonly #cache = rowCache();
  #latestTime = 0;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  /** Answers all of the calls. Resolves when the connection is free. */
  async commitAll(free: CommitConnection, calls: readonly Call[]): Promise<void> {
    let failure = await this.#tryOnce(free, calls);
    if (failure?.kind === "stale") failure = await this.#tryOnce(free, calls);
    const isRepeated = calls.length > 1 || isOfOthers(failure);
    if (failure !== undefined && failure.kind !== "unavailable" && isRepeated) {
      failure = await this.#commitEach(free, calls);
    } else if (failure !== undefined) rejectAll(calls, failure);
    // Last: it can take a while, and nobody waits for it.
    if (failure?.kind === "unavailable") await free.connection.renew();
  }

  /**
   * Each of the calls in a transaction of its own, until one learns that the database does not answer, or
   * that it would wait for too long.
   */
  async #commitEach(free: CommitConnection, calls: readonly Call[]): Promise<PostgresFailure | undefined> {
    const lateAt = Math.min(...calls.map(({ cameAt }) => cameAt)) + COLLISIONS_TIME;
    const isLate = (): boolean => monotonicTime() > lateAt;
    for (const [index, call] of calls.entries()) {
      const failure = await this.#commitAlone(free, call, isLate);
      const isLast = failure?.kind === "unavailable" || (isOfOthers(failure) && isLate());
      if (failure !== undefined) rejectAll(isLast ? calls.slice(index) : [call], failure);
      if (isLast) return failure;
    }
    return undefined;
  }

  async #commitAlone(
    free: CommitConnection,
    call: Call,
    isLate: () => boolean,
  ): Promise<PostgresFailure | undefined> {
    for (let left = TRIES; ; left--) {
      const failure = await this.#tryOnce(free, [call]);
      if (!isOfOthers(failure) || left === 1 || isLate()) return failure;
    }
  }

  async #tryOnce(
    { connection, slot }: CommitConnection,
    calls: readonly Call[],
  ): Promise<PostgresFailure | undefined> {
    const { begin, isDigested, onCommitted, onCommit, onTransaction } = this.#options;
    const cache = this.#cache;
    const now = Math.max(...calls.map((call) => call.now));
    const isLate = now >= this.#latestTime + LATEST_TIME_EVERY;
    const time = { latestTime: isLate ? now : undefined };
    const options = { connection, slot, begin, cache, onCommit, isDigested: isDigested(), ...time };
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
    onDurable?.(stepsOf(calls));
    if (isLate) this.#latestTime = Math.max(now, this.#latestTime);
    // From here on nothing may fail the calls any more: they are durable.
    for (const [index, call] of calls.entries()) call.resolve(committed.answers[index] ?? []);
    onCommitted(committed);
    return undefined;
  }
}

function stepsOf(calls: readonly Call[]): number {
  return calls.reduce((steps, call) => steps + call.steps.length, 0);
}

/** Whether others were in the way, and another try can succeed. */
function isOfOthers(failure: PostgresFailure | undefined): boolean {
  return failure?.kind === "collision" || failure?.kind === "stale";
}

/** A call that collides so often meets transactions that wait themselves: for a standby, for example. */
function rejectAll(calls: readonly Call[], failure: PostgresFailure): void {
  const error = isOfOthers(failure) ? unavailable(failure.error) : failure.error;
  for (const call of calls) call.reject(error);
}
