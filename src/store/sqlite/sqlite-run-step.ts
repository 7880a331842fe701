import { isJobStep, runJobStep } from "../job-steps/run-job-step.ts";
import type { Step, StepAnswers } from "../steps.ts";
import type { Tables } from "./sqlite-tables.ts";
import type { SqliteUnit } from "./sqlite-unit.ts";
import {
  sqliteClaimDeliveries,
  sqliteForgetDeliveries,
  sqliteRecordDeliveries,
  sqliteRedeliver,
  sqliteReleaseDeliveries,
} from "./steps/sqlite-deliveries.ts";
import { sqliteForget } from "./steps/sqlite-forget.ts";
import { sqlitePurge } from "./steps/sqlite-purge.ts";
import { sqlitePut } from "./steps/sqlite-put.ts";
import { sqliteRemove } from "./steps/sqlite-remove.ts";
import { sqliteReseal } from "./steps/sqlite-reseal.ts";
import { sqliteAddStatistics, sqliteForgetStatistics } from "./steps/sqlite-statistics.ts";

type StepAnswer = StepAnswers[Step["step"]];

/**
 * Runs any step inside the open transaction: one about jobs by the rules of all stores, on the rows in hand,
 * and any other by statements of its own, on the database as the steps before have left it.
 */
export function sqliteRunStep(tables: Tables, unit: SqliteUnit): (step: Step, now: number) => StepAnswer {
  const purge = sqlitePurge(tables);
  const forget = sqliteForget(tables);
  const put = sqlitePut(tables);
  const remove = sqliteRemove(tables);
  const reseal = sqliteReseal(tables);
  const claimDeliveries = sqliteClaimDeliveries(tables);
  const recordDeliveries = sqliteRecordDeliveries(tables);
  const releaseDeliveries = sqliteReleaseDeliveries(tables);
  const redeliver = sqliteRedeliver(tables);
  const forgetDeliveries = sqliteForgetDeliveries(tables);
  const addStatistics = sqliteAddStatistics(tables);
  const forgetStatistics = sqliteForgetStatistics(tables);

  return (step, now) => {
    if (isJobStep(step)) return runJobStep(step, now, unit);
    unit.release();
    switch (step.step) {
      case "purge":
        return purge(step, now);
      case "forget":
        return forget(step, now);
      case "put":
        return put(step, now);
      case "remove":
        return remove(step, now);
      case "reseal":
        // The only one that writes rows of running jobs.
        unit.forgetRunning();
        return reseal(step, now);
      case "claimDeliveries":
        return claimDeliveries(step, now);
      case "recordDeliveries":
        return recordDeliveries(step, now);
      case "releaseDeliveries":
        return releaseDeliveries(step, now);
      case "redeliver":
        return redeliver(step, now);
      case "forgetDeliveries":
        return forgetDeliveries(step, now);
      case "addStatistics":
        return addStatistics(step, now);
      case "forgetStatistics":
        return forgetStatistics(step, now);
    }
  };
}
