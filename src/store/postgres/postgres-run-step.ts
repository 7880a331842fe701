import type { DeliveryStep } from "../delivery-steps.ts";
import type { HistoryStep } from "../history-steps.ts";
import type { StatisticsStep } from "../measurement-steps.ts";
import type { Step, StepAnswers } from "../steps.ts";
import type { Connection } from "./postgres-driver.ts";
import type { Transaction } from "./postgres-transaction.ts";
import {
  postgresClaimDeliveries,
  postgresForgetDeliveries,
  postgresRecordDeliveries,
  postgresRedeliver,
  postgresReleaseDeliveries,
} from "./steps/postgres-delivery-steps.ts";
import {
  postgresClearHistory,
  postgresRecordEnded,
  postgresTrimHistory,
} from "./steps/postgres-history-steps.ts";
import { postgresPut, postgresRemove } from "./steps/postgres-record-steps.ts";
import { postgresForget, postgresPurge } from "./steps/postgres-removal-steps.ts";
import { postgresReseal } from "./steps/postgres-reseal.ts";
import { postgresAddStatistics, postgresForgetStatistics } from "./steps/postgres-statistics-steps.ts";

/** Steps that find their rows themselves. */
export type LoneStep =
  | Extract<Step, { step: "purge" | "forget" | "put" | "remove" | "reseal" }>
  | DeliveryStep
  | HistoryStep
  | StatisticsStep;

export type StepAnswer = StepAnswers[Step["step"]];

const LONE: ReadonlySet<Step["step"]> = new Set<LoneStep["step"]>([
  "purge",
  "forget",
  "put",
  "remove",
  "reseal",
  "claimDeliveries",
  "recordDeliveries",
  "releaseDeliveries",
  "redeliver",
  "forgetDeliveries",
  "recordEnded",
  "trimHistory",
  "clearHistory",
  "addStatistics",
  "forgetStatistics",
]);

export function isLone(step: Step): step is LoneStep {
  return LONE.has(step.step);
}

const OF_MANY: ReadonlySet<Step["step"]> = new Set<LoneStep["step"]>([
  "purge",
  "forget",
  "reseal",
  "forgetDeliveries",
  "recordEnded",
  "trimHistory",
  "clearHistory",
  "forgetStatistics",
]);

/** Whether the step is about many rows, so that steps about one job must not wait for it. */
export function isOfMany({ step }: Step): boolean {
  return OF_MANY.has(step);
}

export function postgresRunLone(
  step: LoneStep,
  now: number,
  transaction: Transaction,
  connection: Connection,
): Promise<StepAnswer> {
  switch (step.step) {
    case "purge":
      return postgresPurge(step, now, transaction, connection);
    case "forget":
      return postgresForget(step, now, transaction, connection);
    case "put":
      return postgresPut(step, now, transaction, connection);
    case "remove":
      return postgresRemove(step, now, transaction, connection);
    case "reseal":
      return postgresReseal(step, now, transaction, connection);
    case "claimDeliveries":
      return postgresClaimDeliveries(step, now, transaction, connection);
    case "recordDeliveries":
      return postgresRecordDeliveries(step, now, transaction, connection);
    case "releaseDeliveries":
      return postgresReleaseDeliveries(step, now, transaction, connection);
    case "redeliver":
      return postgresRedeliver(step, now, transaction, connection);
    case "forgetDeliveries":
      return postgresForgetDeliveries(step, now, transaction, connection);
    case "recordEnded":
      return postgresRecordEnded(step, now, transaction, connection);
    case "trimHistory":
      return postgresTrimHistory(step, now, transaction, connection);
    case "clearHistory":
      return postgresClearHistory(step, now, transaction, connection);
    case "addStatistics":
      return postgresAddStatistics(step, now, transaction, connection);
    case "forgetStatistics":
      return postgresForgetStatistics(step, now, transaction, connection);
  }
}
