import { storeClosed } from "../../domain/errors.ts";
import type { Step } from "../steps.ts";
import type { Signal } from "../signals.ts";
import type { MemoryDatabase } from "./memory-database.ts";
import { runStep, type StepAnswer } from "./run-step.ts";
import { memoryTransaction } from "./transaction.ts";

interface Call {
  readonly steps: readonly Step[];
  readonly now: number;
  readonly resolve: (answers: StepAnswer[]) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome = { readonly answers: StepAnswer[] } | { readonly error: unknown };

export interface GroupCommitOptions {
  readonly database: MemoryDatabase;
  /** Runs the next commit later: calls that come until then share it. */
  readonly schedule: (commit: () => void) => void;
  /** Called after each commit, behind the answers to its calls. */
  readonly onCommitted: (signals: readonly Signal[]) => void;
  readonly onCommit: ((mark: "begin" | "end") => void) | undefined;
  readonly onTransaction: (() => (steps: number) => void) | undefined;
}

export interface GroupCommit {
  /** Rejects with SHUTTING_DOWN after `close`. */
  apply(steps: readonly Step[], now: number): Promise<StepAnswer[]>;
  /** Takes no further call, and resolves when every call so far has its answer. */
  close(): Promise<void>;
  /** Calls that are not committed never happen; they and later ones get no answer. */
  crash(): void;
}

/**
 * All calls that arrive while the event loop handles one round of requests share one commit, as in SQLite.
 * Nothing else runs during a commit, so a step is atomic. A call that throws is undone alone.
 */
export function groupCommit(options: GroupCommitOptions): GroupCommit {
  const { database, schedule, onCommitted, onCommit, onTransaction } = options;
  const { journal } = database;
  const signals: Signal[] = [];
  const context = { database, transaction: memoryTransaction(database, signals) };
  let waiting: Call[] = [];
  let isClosed = false;
  let hasCrashed = false;

  function commitWaiting(): void {
    const calls = waiting;
    waiting = [];
    if (calls.length === 0) return;
    const onDurable = onTransaction?.();
    const outcomes = calls.map(decide);
    try {
      onCommit?.("begin");
    } catch (error) {
      undoTo(0, 0);
      for (const { reject } of calls) reject(error);
      return;
    }
    journal.clear();
    for (const { now } of calls) database.latestTime = Math.max(database.latestTime, now);
    onCommit?.("end");
    const told = signals.splice(0);
    onDurable?.(calls.reduce((steps, call) => steps + call.steps.length, 0));
    for (const [index, call] of calls.entries()) {
      const outcome = outcomes[index];
      if (outcome === undefined) continue;
      if ("error" in outcome) call.reject(outcome.error);
      else call.resolve(outcome.answers);
    }
    if (told.length > 0) onCommitted(told);
  }

  function decide({ steps, now }: Call): Outcome {
    const changes = journal.length;
    const before = signals.length;
    try {
      return { answers: steps.map((step) => runStep(step, now, context)) };
    } catch (error) {
      undoTo(changes, before);
      return { error };
    }
  }

  function undoTo(changes: number, told: number): void {
    journal.undoTo(changes);
    signals.length = told;
  }

  function apply(steps: readonly Step[], now: number): Promise<StepAnswer[]> {
    if (isClosed) return Promise.reject(storeClosed());
    return new Promise((resolve, reject) => {
      if (hasCrashed) return;
      waiting.push({ steps, now, resolve, reject });
      if (waiting.length === 1) schedule(commitWaiting);
    });
  }

  return {
    apply,
    async close() {
      if (isClosed || hasCrashed) return;
      const last = apply([], 0);
      isClosed = true;
      await last;
    },
    crash() {
      hasCrashed = true;
      waiting = [];
    },
  };
}
