import { isJobStep, type JobStep, runJobStep } from "../job-steps/run-job-step.ts";
import type { Step, StepAnswers } from "../steps.ts";
import type { StepRunner, Tables } from "./sqlite-tables.ts";
import { sqliteTransaction } from "./sqlite-transaction.ts";
import type { TrackedJobs } from "./sqlite-tracked-jobs.ts";
import {
  sqliteClaimDeliveries,
  sqliteForgetDeliveries,
  sqliteRecordDeliveries,
  sqliteRedeliver,
  sqliteReleaseDeliveries,
} from "./steps/sqlite-deliveries.ts";
import { sqliteForget } from "./steps/sqlite-forget.ts";
import { sqliteHistorySteps } from "./steps/sqlite-history.ts";
import { sqlitePurge } from "./steps/sqlite-purge.ts";
import { sqlitePut } from "./steps/sqlite-put.ts";
import { sqliteRemove } from "./steps/sqlite-remove.ts";
import { sqliteReseal } from "./steps/sqlite-reseal.ts";
import { sqliteAddStatistics, sqliteForgetStatistics } from "./steps/sqlite-statistics.ts";

type OtherStep = Exclude<Step, JobStep>;
type StepAnswer = StepAnswers[Step["step"]];

/**
 * Runs any step inside the open transaction: one about jobs by the rules of all stores, on the rows in
 * memory, and any other by statements of its own, on the database as the steps before have left it.
 */
export function sqliteRunStep(tables: Tables, jobs: TrackedJobs): (step: Step, now: number) => StepAnswer {
  const transaction = sqliteTransaction(tables, jobs);
  const others: { readonly [Kind in OtherStep["step"]]: StepRunner<Kind> } = {
    purge: sqlitePurge(tables),
    forget: sqliteForget(tables),
    put: sqlitePut(tables),
    remove: sqliteRemove(tables),
    reseal: sqliteReseal(tables),
    claimDeliveries: sqliteClaimDeliveries(tables),
    recordDeliveries: sqliteRecordDeliveries(tables),
    releaseDeliveries: sqliteReleaseDeliveries(tables),
    redeliver: sqliteRedeliver(tables),
    forgetDeliveries: sqliteForgetDeliveries(tables),
    ...sqliteHistorySteps(tables),
    addStatistics: sqliteAddStatistics(tables),
    forgetStatistics: sqliteForgetStatistics(tables),
  };

  return (step, now) => {
    if (isJobStep(step)) return runJobStep(step, now, transaction);
    jobs.release();
    // These write rows of jobs that wait or run.
    if (step.step === "purge" || step.step === "reseal") jobs.forget();
    // The runner of this kind, which the compiler cannot tell from the others.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const run = others[step.step] as StepRunner<OtherStep["step"]>;
    return run(step, now);
  };
}
