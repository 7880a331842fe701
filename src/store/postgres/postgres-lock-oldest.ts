import type { Step, Take } from "../steps.ts";
import { givenRows } from "./postgres-arrays.ts";
import type { Connection } from "./postgres-driver.ts";
import { BODY_COLUMNS, JOB_COLUMNS, type JobRow } from "./postgres-job-row.ts";
import type { Transaction } from "./postgres-transaction.ts";

/** A step and the time that it was given. */
export interface TimedStep {
  readonly step: Step;
  readonly now: number;
}

const DEMANDS = givenRows({
  endpoint: "text",
  now: "bigint",
  count: "bigint",
  worker: "text",
  behind: "bigint",
});

/**
 * The oldest waiting jobs of each endpoint behind a position: up to a number, skipping what others have
 * locked, what is over at the time, and what the one worker that asks is barred from.
 */
const LOCK_OLDEST = `
  WITH asked AS MATERIALIZED (
    SELECT * FROM ${DEMANDS.source} AS asked (${DEMANDS.names})
  )
  SELECT oldest.*
  FROM asked CROSS JOIN LATERAL (
    SELECT ${JOB_COLUMNS}, ${BODY_COLUMNS}
    FROM forebay.job
    WHERE job.endpoint = asked.endpoint AND job.holder = '' AND job.position > asked.behind
      AND job.expires_at > asked.now
      AND (job.barred IS NULL OR job.barred_until <= asked.now OR job.barred <> asked.worker)
    ORDER BY job.position
    LIMIT asked.count
    FOR UPDATE OF job SKIP LOCKED
  ) AS oldest`;

/** What the takes of one endpoint need together. */
interface Demand {
  readonly endpoint: string;
  count: number;
  now: number;
  behind: number;
  readonly workers: Set<string>;
}

/** Locks and reads what the takes among the steps may hand out. */
export async function lockOldest(
  connection: Connection,
  steps: readonly TimedStep[],
  transaction: Transaction,
): Promise<void> {
  const demands = demandsOf(steps);
  while (demands.size > 0) {
    const asked = [...demands.values()];
    const rows = await connection.query<JobRow>(
      LOCK_OLDEST,
      DEMANDS.arrays(asked.map((demand) => ({ ...demand, worker: onlyOf(demand.workers) ?? "" }))),
    );
    const byEndpoint = Map.groupBy(rows, (row) => row.endpoint);
    for (const row of rows) transaction.adopt(row);
    for (const demand of asked) {
      const { endpoint } = demand;
      const found = byEndpoint.get(endpoint) ?? [];
      const barred = found.filter((row) => row.barred !== null && demand.workers.has(row.barred)).length;
      // Fewer than asked for: there are no more. As many, none barred: they are enough.
      if (found.length < demand.count || barred === 0) demands.delete(endpoint);
      demand.count = barred;
      demand.behind = found.reduce((last, row) => Math.max(last, row.position), demand.behind);
    }
  }
}

function demandsOf(steps: readonly TimedStep[]): Map<string, Demand> {
  const demands = new Map<string, Demand>();
  for (const { step, now } of steps) {
    // A step that asks for nothing sensible is refused when it is decided.
    if (step.step !== "take" || !Number.isSafeInteger(step.count) || step.count < 1) continue;
    const demand = demands.get(step.endpoint);
    if (demand === undefined) {
      const { endpoint, count, worker } = step;
      demands.set(endpoint, {
        endpoint,
        count,
        now,
        behind: Number.MIN_SAFE_INTEGER,
        workers: new Set([worker]),
      });
    } else {
      demand.count += step.count;
      demand.now = Math.min(demand.now, now);
      demand.workers.add(step.worker);
    }
  }
  for (const { step } of steps) {
    const demand = "endpoint" in step ? demands.get(step.endpoint) : undefined;
    if (demand !== undefined && mayEndWaiting(step)) demand.count++;
  }
  return demands;
}

/** Whether the step can take a waiting job away before it is handed out; a worker ends only what it runs. */
function mayEndWaiting(step: Step): boolean {
  if (step.step === "finish") return step.worker === undefined;
  return step.step === "cancel" || step.step === "setTtl";
}

function onlyOf(workers: ReadonlySet<string>): Take["worker"] | undefined {
  return workers.size === 1 ? [...workers][0] : undefined;
}
