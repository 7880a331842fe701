import type { Clock } from "../../domain/clock.ts";
import { ForebayError, storeClosed } from "../../domain/errors.ts";
import { isStored } from "../../domain/payload.ts";
import { namedBy } from "../named-payloads.ts";
import type { Signal } from "../signals.ts";
import type { Answers, Step, StepAnswers } from "../steps.ts";
import type { Store } from "../store.ts";
import { type Database, prepare } from "./sqlite-driver.ts";
import { sqliteFailure } from "./sqlite-failure.ts";
import type { Tables } from "./sqlite-tables.ts";
import type { TrackedJobs } from "./sqlite-tracked-jobs.ts";

/** The answers to the steps of one call, in their order. */
type CallAnswers = StepAnswers[Step["step"]][];

interface Call {
  readonly steps: readonly Step[];
  readonly now: number;
  readonly resolve: (answers: CallAnswers) => void;
  readonly reject: (error: unknown) => void;
}

export interface GroupCommitOptions {
  readonly tables: Tables;
  /** The jobs that steps have in hand. */
  readonly jobs: TrackedJobs;
  readonly runStep: (step: Step, now: number) => StepAnswers[Step["step"]];
  /** Called after each commit, before the callers learn of it. */
  readonly onCommitted: (signals: readonly Signal[]) => void;
  /** Removes a payload, if the disk has no room for the call that names it. */
  readonly discard: Store["discardPayload"];
  /** Called when a commit failed in a way after which nothing may be acknowledged. */
  readonly onFatal: (error: Error) => void;
  /** Marks the beginning and the end of each commit, for tests that kill the server inside one. */
  readonly onCommit: ((mark: "begin" | "end") => void) | undefined;
  /** Called when a transaction begins; what it answers, with its steps when they are durable. */
  readonly onTransaction: (() => (steps: number) => void) | undefined;
  /** As `Clock.after`: heartbeats wait for other calls. Undefined: they do not. */
  readonly after: Clock["after"] | undefined;
}

export interface GroupCommit {
  /** As `Store.apply`. Rejects with SHUTTING_DOWN after `close`. */
  readonly apply: Store["apply"];
  /** Takes no further call, and resolves when every call so far has its answer. */
  close(): Promise<void>;
}

/**
 * All calls that arrive while the event loop handles one round of requests share one transaction, and so one
 * fsync. A call that throws is undone alone: the transaction is rolled back and each of its calls repeated in
 * one of its own.
 */
export function groupCommit(options: GroupCommitOptions): GroupCommit {
  const transactions = new Transactions(options);
  let isClosed = false;

  function commitAll(calls: readonly Call[]): void {
    const failure = transactions.commit(calls);
    if (failure === undefined) return;
    for (const call of calls) {
      const own = calls.length === 1 ? failure : transactions.commit([call]);
      if (own !== undefined) void refuse(call, own, options.discard);
    }
  }

  const add = waitingCalls(commitAll, options.after);

  function apply<const Steps extends readonly Step[]>(steps: Steps, now: number): Promise<Answers<Steps>> {
    if (isClosed) return Promise.reject(storeClosed());
    const answers = new Promise<CallAnswers>((resolve, reject) => add({ steps, now, resolve, reject }));
    // The answers stand in the order of their steps; a list cannot tell the compiler so.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return answers as unknown as Promise<Answers<Steps>>;
  }

  return {
    apply,
    async close() {
      const last = apply([], 0);
      isClosed = true;
      await last.catch(() => undefined);
    },
  };
}

/** The largest time of a step is written at most this often, ms. */
const LATEST_TIME_EVERY = 1_000;

/**
 * Runs calls between BEGIN and COMMIT. Nothing else runs there, because SQLite is called synchronously: that
 * is what makes a SELECT followed by an UPDATE one atomic step.
 */
class Transactions {
  readonly #options: GroupCommitOptions;
  readonly #statements: ReturnType<typeof statementsOf>;
  #latestTime = 0;
  /** Why nothing is acknowledged any more. */
  #fatal: Error | undefined;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
    this.#statements = statementsOf(options.tables.database);
  }

  /** Commits the calls together, and answers them. If it fails, nothing has happened; answers why. */
  commit(calls: readonly Call[]): Error | undefined {
    if (this.#fatal !== undefined) return this.#fatal;
    let answers: CallAnswers[];
    try {
      answers = this.#transact(calls);
    } catch (error) {
      this.#undo();
      return this.#failureOf(error);
    }
    // From here on nothing may fail the calls any more: they are durable.
    const { jobs, tables, onCommitted } = this.#options;
    jobs.committed();
    tables.counters.committed();
    calls.forEach((call, index) => call.resolve(answers[index] ?? []));
    onCommitted(tables.takeSignals());
    return undefined;
  }

  #transact(calls: readonly Call[]): CallAnswers[] {
    const { jobs, tables, runStep, onCommit, onTransaction } = this.#options;
    const { begin, commit } = this.#statements;
    const onDurable = onTransaction?.();
    begin.run();
    const answers = calls.map((call) => call.steps.map((step) => runStep(step, call.now)));
    jobs.flush();
    if (tables.newChunks.added.length > 0) tables.newChunks.flush();
    tables.counters.flush();
    this.#rememberTime(calls);
    onCommit?.("begin");
    commit.run();
    onCommit?.("end");
    onDurable?.(answers.reduce((steps, each) => steps + each.length, 0));
    return answers;
  }

  #failureOf(error: unknown): Error {
    const failure = sqliteFailure(error);
    if (failure.kind === "fatal") {
      this.#fatal = failure.error;
      this.#options.onFatal(failure.error);
    }
    return failure.error;
  }

  #undo(): void {
    const { jobs, tables } = this.#options;
    const { database, counters, newChunks, payloads, takeSignals } = tables;
    // On a full disk SQLite has rolled back already.
    if (database.inTransaction) this.#statements.rollback.run();
    jobs.rolledBack();
    counters.rolledBack();
    newChunks.rolledBack();
    this.#latestTime = 0;
    payloads.takeDropped();
    takeSignals();
  }

  #rememberTime(calls: readonly Call[]): void {
    const now = calls.reduce((latest, call) => Math.max(latest, call.now), 0);
    if (now < this.#latestTime + LATEST_TIME_EVERY) return;
    this.#statements.setLatestTime.run(now);
    this.#latestTime = now;
  }
}

function statementsOf(database: Database) {
  const begin = prepare<never, []>(database, "BEGIN IMMEDIATE");
  const commit = prepare<never, []>(database, "COMMIT");
  const rollback = prepare<never, []>(database, "ROLLBACK");
  const setLatestTime = prepare<never, [now: number]>(
    database,
    "UPDATE clock SET latest = ?1 WHERE latest < ?1",
  );
  return { begin, commit, rollback, setLatestTime };
}

/** On a full disk the files that the call names go first: others need the room. */
async function refuse(
  { steps, reject }: Call,
  failure: Error,
  discard: Store["discardPayload"],
): Promise<void> {
  try {
    const isFull = failure instanceof ForebayError && failure.code === "STORAGE_FULL";
    if (isFull) for (const payload of steps.flatMap(namedBy).filter(isStored)) await discard(payload);
    reject(failure);
  } catch (error) {
    reject(error);
  }
}

/** How long a heartbeat waits for other calls with which it shares a commit, ms. */
const PATIENCE = 20;

/** Collects the calls of one round of the event loop, with the heartbeats before it. */
function waitingCalls(
  commit: (calls: readonly Call[]) => void,
  after: Clock["after"] | undefined,
): (call: Call) => void {
  const waiting: Call[] = [];
  let isScheduled = false;
  /** Set while only heartbeats wait. */
  let stopTimer: (() => void) | undefined;

  function commitWaiting(): void {
    stopTimer?.();
    stopTimer = undefined;
    isScheduled = false;
    commit(waiting.splice(0));
  }

  return (call) => {
    waiting.push(call);
    if (isScheduled) return;
    if (after !== undefined && isHeartbeat(call)) stopTimer ??= after(PATIENCE, commitWaiting);
    else {
      isScheduled = true;
      setImmediate(commitWaiting);
    }
  };
}

/** A ping, or another call of a worker that says nothing of jobs: nobody waits for it. */
function isHeartbeat({ steps: [step, next] }: Call): boolean {
  if (step?.step !== "seen" || next !== undefined || step.call === "hangUp") return false;
  return step.call === "ping" || step.shown.kind === "nothing";
}
