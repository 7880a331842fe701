import { storeClosed } from "../../domain/errors.ts";
import type { Signal } from "../signals.ts";
import type { Step } from "../steps.ts";
import type { MemoryDatabase } from "./memory-database.ts";
import { runStep, type StepAnswer } from "./run-step.ts";
import { type MemoryStepContext, MemoryTransaction } from "./transaction.ts";

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

/**
 * All calls that arrive while the event loop handles one round of requests share one commit, as in SQLite.
 * Nothing else runs during a commit, so a step is atomic. A call that throws is undone alone.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  readonly #context: MemoryStepContext;
  /** Of the commit that runs. */
  readonly #signals: Signal[] = [];
  #waiting: Call[] = [];
  #isClosed = false;
  #hasCrashed = false;

  constructor(options: GroupCommitOptions) {
    const { database } = options;
    this.#options = options;
    this.#context = { database, transaction: new MemoryTransaction(database, this.#signals) };
  }

  /** Rejects with SHUTTING_DOWN after `close`. */
  apply(steps: readonly Step[], now: number): Promise<StepAnswer[]> {
    if (this.#isClosed) return Promise.reject(storeClosed());
    return new Promise((resolve, reject) => {
      if (this.#hasCrashed) return;
      this.#waiting.push({ steps, now, resolve, reject });
      if (this.#waiting.length === 1) this.#options.schedule(() => this.#commitWaiting());
    });
  }

  /** Takes no further call, and resolves when every call so far has its answer. */
  async close(): Promise<void> {
    if (this.#isClosed || this.#hasCrashed) return;
    const last = this.apply([], 0);
    this.#isClosed = true;
    await last;
  }

  /** Calls that are not committed never happen; they and later ones get no answer. */
  crash(): void {
    this.#hasCrashed = true;
    this.#waiting = [];
  }

  #commitWaiting(): void {
    const { database, onCommit, onTransaction, onCommitted } = this.#options;
    const calls = this.#waiting;
    this.#waiting = [];
    if (calls.length === 0) return;
    const onDurable = onTransaction?.();
    const outcomes = calls.map((call) => this.#decide(call));
    try {
      onCommit?.("begin");
    } catch (error) {
      this.#undoTo(0, 0);
      for (const { reject } of calls) reject(error);
      return;
    }
    database.journal.clear();
    for (const { now } of calls) database.latestTime = Math.max(database.latestTime, now);
    onCommit?.("end");
    const signals = this.#signals.splice(0);
    onDurable?.(calls.reduce((steps, call) => steps + call.steps.length, 0));
    for (const [index, call] of calls.entries()) {
      const outcome = outcomes[index];
      if (outcome === undefined) continue;
      if ("error" in outcome) call.reject(outcome.error);
      else call.resolve(outcome.answers);
    }
    if (signals.length > 0) onCommitted(signals);
  }

  #decide({ steps, now }: Call): Outcome {
    const changes = this.#context.database.journal.length;
    const signals = this.#signals.length;
    try {
      return { answers: steps.map((step) => runStep(step, now, this.#context)) };
    } catch (error) {
      this.#undoTo(changes, signals);
      return { error };
    }
  }

  #undoTo(changes: number, signals: number): void {
    this.#context.database.journal.undoTo(changes);
    this.#signals.length = signals;
  }
}
