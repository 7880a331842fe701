import { runJobStep } from "../job-steps/run-job-step.ts";
import type { Step } from "../steps.ts";
import type { Signal } from "../signals.ts";
import { allOf, type SingleConnection } from "./postgres-driver.ts";
import type { TimedStep } from "./postgres-lock-oldest.ts";
import { readTransaction } from "./postgres-read-transaction.ts";
import type { RowCache } from "./postgres-row-cache.ts";
import { isLone, postgresRunLone, type StepAnswer } from "./postgres-run-step.ts";
import { Transaction } from "./postgres-transaction.ts";
import { mayRefuse, writeTransaction } from "./postgres-write-transaction.ts";

/** The steps of one call to the store, and their time. */
export interface CallSteps {
  readonly steps: readonly Step[];
  readonly now: number;
}

export interface TransactionOptions {
  readonly connection: SingleConnection;
  /** Which counters the connection adds to. */
  readonly slot: number;
  /** What begins a transaction, settings included. */
  readonly begin: string;
  readonly cache: RowCache;
  /** Whether payloads in rows carry their digest. */
  readonly isDigested: boolean;
  /** The latest time, to be stored if it is later than the stored one; undefined: it is not stored. */
  readonly latestTime: number | undefined;
  /** Marks the beginning and the end of the commit, for tests that kill the server inside one. */
  readonly onCommit: ((mark: "begin" | "end") => void) | undefined;
}

export interface Committed {
  /** Of the steps of each call, in their order. */
  readonly answers: StepAnswer[][];
  readonly signals: readonly Signal[];
  /** Files of payloads that rows name from now on. */
  readonly named: readonly string[];
}

/**
 * Runs alone, before the transaction: all servers write this row, and none may lock it while its commit waits
 * for a standby. It does not wait for one itself: it is durable with the next commit.
 */
const SET_LATEST_TIME = `
  UPDATE forebay.clock SET latest = $1 FROM set_config('synchronous_commit', 'off', true) WHERE latest < $1`;

/**
 * Runs the calls as one transaction: locks and reads what their steps are about, decides them in memory one
 * after the other, and writes what has changed. That takes two round trips however many steps there are;
 * statements that wait for nothing travel together, with BEGIN in front and COMMIT behind.
 */
export async function commitTogether(
  options: TransactionOptions,
  calls: readonly CallSteps[],
): Promise<Committed> {
  const { connection, slot, cache, isDigested } = options;
  const timed = calls.flatMap(({ steps, now }) => steps.map((step): TimedStep => ({ step, now })));
  return inTransaction(connection, async (commit) => {
    const begun = begin(options);
    const steps = timed.map(({ step }) => step);
    const reading = readTransaction(connection, slot, timed, isDigested, cache.for(steps));
    await allOf([begun, reading]);
    const transaction = await reading;
    const answers = calls.map(({ steps, now }) => steps.map((step) => answerOf(step, now, transaction)));
    const writing = writeTransaction(connection, slot, Math.max(...calls.map(({ now }) => now)), transaction);
    if (mayRefuse(transaction)) await allOf([writing]);
    await commit(options, [writing]);
    cache.committed(transaction.jobs.values(), await writing);
    return { answers, signals: transaction.signals, named: transaction.named };
  });
}

/** The same for one call whose steps must each see what the one before has written. */
export async function commitStepwise(
  options: TransactionOptions,
  { steps, now }: CallSteps,
): Promise<Committed> {
  const { connection, slot, isDigested } = options;
  return inTransaction(connection, async (commit) => {
    await begin(options);
    const answers: StepAnswer[] = [];
    /** What each of the steps has read and changed. */
    const parts: Transaction[] = [];
    for (const step of steps) {
      const transaction = isLone(step)
        ? new Transaction(isDigested)
        : await readTransaction(connection, slot, [{ step, now }], isDigested);
      const answer = isLone(step)
        ? await postgresRunLone(step, now, transaction, connection)
        : runJobStep(step, now, transaction);
      await writeTransaction(connection, slot, now, transaction);
      answers.push(answer);
      parts.push(transaction);
    }
    await commit(options, []);
    for (const { jobs } of parts) options.cache.committed(jobs.values(), undefined);
    const named = parts.flatMap((part) => part.named);
    return { answers: [answers], signals: parts.flatMap((part) => part.signals), named };
  });
}

async function begin({ connection, begin: statement, latestTime }: TransactionOptions): Promise<void> {
  const time = latestTime === undefined ? [] : [connection.query(SET_LATEST_TIME, [latestTime])];
  await allOf([...time, connection.query(statement)]);
}

type Commit = (options: TransactionOptions, writing: readonly Promise<unknown>[]) => Promise<void>;

/** Undoes what was not committed. */
async function inTransaction(
  connection: SingleConnection,
  run: (commit: Commit) => Promise<Committed>,
): Promise<Committed> {
  let isSent = false;
  try {
    return await run(async ({ onCommit }, writing) => {
      onCommit?.("begin");
      isSent = true;
      // If a statement failed, the server treats COMMIT as ROLLBACK.
      await allOf([...writing, connection.query("COMMIT")]);
      onCommit?.("end");
    });
  } catch (error) {
    if (!isSent) await connection.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

function answerOf(step: Step, now: number, transaction: Transaction): StepAnswer {
  if (isLone(step)) throw new Error(`a step ${step.step} runs in a call of its own`);
  return runJobStep(step, now, transaction);
}
