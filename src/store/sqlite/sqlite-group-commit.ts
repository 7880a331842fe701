import type { Clock } from "../../domain/clock.ts";
import { storeClosed } from "../../domain/errors.ts";
import type { Signal } from "../store.ts";
import type { Step, StepAnswers } from "../steps.ts";
import { prepare } from "./sqlite-driver.ts";
import { sqliteFailure } from "./sqlite-failure.ts";
import type { Tables } from "./sqlite-tables.ts";
import type { SqliteUnit } from "./sqlite-unit.ts";

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
  /** What steps have in hand. */
  readonly unit: SqliteUnit;
  readonly runStep: (step: Step, now: number) => StepAnswers[Step["step"]];
  /** The signals since the last call of this function. */
  readonly takeSignals: () => Signal[];
  /** Called after each commit, before the callers learn of it. */
  readonly onCommitted: (signals: readonly Signal[]) => void;
  /** Called when a commit failed in a way after which nothing may be acknowledged. */
  readonly onFatal: (error: Error) => void;
  /** Marks the beginning and the end of each commit, for tests that kill the server inside one. */
  readonly onCommit: ((mark: "begin" | "end") => void) | undefined;
  /** Called when a transaction begins; what it answers, with its steps when they are durable. */
  readonly onTransaction: (() => (steps: number) => void) | undefined;
  /** As `Clock.after`: signs of life wait for other calls. Undefined: they do not. */
  readonly after: Clock["after"] | undefined;
}

export interface GroupCommit {
  /** Rejects with SHUTTING_DOWN after `close`. */
  apply(steps: readonly Step[], now: number): Promise<CallAnswers>;
  /** Takes no further call, and resolves when every call so far has its answer. */
  close(): Promise<void>;
}

/**
 * All calls that arrive while the event loop handles one round of requests share one transaction, and so one
 * fsync. Nothing else runs between its BEGIN and its COMMIT, because SQLite is called synchronously: that is
 * what makes a SELECT followed by an UPDATE one atomic step. A call that throws is undone alone: the
 * transaction is rolled back and each of its calls repeated in one of its own.
 */
export function groupCommit(options: GroupCommitOptions): GroupCommit {
  const { tables, unit, runStep, takeSignals, onCommitted, onFatal, onCommit, onTransaction } = options;
  const { database, counters, payloads } = tables;
  const begin = prepare<never, []>(database, "BEGIN IMMEDIATE");
  const commit = prepare<never, []>(database, "COMMIT");
  const rollback = prepare<never, []>(database, "ROLLBACK");
  const setLatestTime = prepare<never, [now: number]>(
    database,
    "UPDATE clock SET latest = ?1 WHERE latest < ?1",
  );
  const LATEST_TIME_EVERY = 1_000;
  let latestTime = 0;
  /** Why nothing is acknowledged any more. */
  let fatal: Error | undefined;
  let isClosed = false;

  function commitAll(calls: readonly Call[]): void {
    const failure = commitTogether(calls);
    if (failure === undefined) return;
    if (calls.length === 1) calls[0]?.reject(failure);
    else for (const call of calls) commitAlone(call);
  }

  function commitAlone(call: Call): void {
    const failure = commitTogether([call]);
    if (failure !== undefined) call.reject(failure);
  }

  /** One transaction; what made it fail, and then nothing of it has happened. */
  function commitTogether(calls: readonly Call[]): Error | undefined {
    if (fatal !== undefined) return fatal;
    let answers: CallAnswers[];
    try {
      answers = transact(calls);
    } catch (error) {
      undo();
      return failureOf(error);
    }
    // From here on nothing may fail the calls any more: they are durable.
    unit.committed();
    counters.committed();
    calls.forEach((call, index) => call.resolve(answers[index] ?? []));
    onCommitted(takeSignals());
    return undefined;
  }

  function transact(calls: readonly Call[]): CallAnswers[] {
    const onDurable = onTransaction?.();
    begin.run();
    const answers = calls.map((call) => call.steps.map((step) => runStep(step, call.now)));
    unit.flush();
    counters.flush();
    rememberTime(calls);
    onCommit?.("begin");
    commit.run();
    onCommit?.("end");
    onDurable?.(answers.reduce((steps, each) => steps + each.length, 0));
    return answers;
  }

  function failureOf(error: unknown): Error {
    const failure = sqliteFailure(error);
    if (failure.kind === "fatal") {
      fatal = failure.error;
      onFatal(failure.error);
    }
    return failure.error;
  }

  function undo(): void {
    // On a full disk SQLite has rolled back already.
    if (database.inTransaction) rollback.run();
    unit.rolledBack();
    counters.rolledBack();
    latestTime = 0;
    payloads.takeDropped();
    takeSignals();
  }

  function rememberTime(calls: readonly Call[]): void {
    const now = calls.reduce((latest, call) => Math.max(latest, call.now), 0);
    if (now < latestTime + LATEST_TIME_EVERY) return;
    setLatestTime.run(now);
    latestTime = now;
  }

  const add = waitingCalls(commitAll, options.after);

  function apply(steps: readonly Step[], now: number): Promise<CallAnswers> {
    if (isClosed) return Promise.reject(storeClosed());
    return new Promise((resolve, reject) => add({ steps, now, resolve, reject }));
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

/** How long a sign of life waits for other calls with which it shares a commit, ms. */
const PATIENCE = 20;

/** Collects the calls of one round of the event loop, with the signs of life before it. */
function waitingCalls(
  commit: (calls: readonly Call[]) => void,
  after: Clock["after"] | undefined,
): (call: Call) => void {
  const waiting: Call[] = [];
  let isScheduled = false;
  /** Set while only signs of life wait. */
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
    if (after !== undefined && isSignOfLife(call)) stopTimer ??= after(PATIENCE, commitWaiting);
    else {
      isScheduled = true;
      setImmediate(commitWaiting);
    }
  };
}

/** A heartbeat, or another call of a worker that says nothing of jobs: nobody waits for it. */
function isSignOfLife({ steps: [step, next] }: Call): boolean {
  if (step?.step !== "seen" || next !== undefined || step.call === "hangUp") return false;
  return step.call === "ping" || step.shown.kind === "nothing";
}
