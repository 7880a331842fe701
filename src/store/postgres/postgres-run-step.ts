import type { DeliveryStep } from "../delivery-steps.ts";
import type { StatisticsStep } from "../statistics-steps.ts";
import type { Step, StepAnswers } from "../steps.ts";
import type { Connection } from "./postgres-driver.ts";
import type { Unit } from "./postgres-unit.ts";
import { postgresAddStatistics } from "./steps/postgres-add-statistics.ts";
import { postgresAppend } from "./steps/postgres-append.ts";
import { postgresCancel } from "./steps/postgres-cancel.ts";
import { postgresClaimDeliveries } from "./steps/postgres-claim-deliveries.ts";
import { postgresDrain } from "./steps/postgres-drain.ts";
import { postgresRedeliver, postgresReleaseDeliveries } from "./steps/postgres-due-again.ts";
import { postgresEnqueue } from "./steps/postgres-enqueue.ts";
import { postgresFinish } from "./steps/postgres-finish.ts";
import { postgresForget } from "./steps/postgres-forget.ts";
import { postgresForgetDeliveries } from "./steps/postgres-forget-deliveries.ts";
import { postgresForgetStatistics } from "./steps/postgres-forget-statistics.ts";
import { postgresGiveBack } from "./steps/postgres-give-back.ts";
import { postgresNoteColdStart } from "./steps/postgres-note-cold-start.ts";
import { postgresProgress } from "./steps/postgres-progress.ts";
import { postgresPurge } from "./steps/postgres-purge.ts";
import { postgresPut } from "./steps/postgres-put.ts";
import { postgresRecordDeliveries } from "./steps/postgres-record-deliveries.ts";
import { postgresRemove } from "./steps/postgres-remove.ts";
import { postgresReseal } from "./steps/postgres-reseal.ts";
import { postgresRetry } from "./steps/postgres-retry.ts";
import { postgresSeen } from "./steps/postgres-seen.ts";
import { postgresSetTtl } from "./steps/postgres-set-ttl.ts";
import { postgresTake } from "./steps/postgres-take.ts";

/** Steps that find their rows themselves. */
export type LoneStep =
  Extract<Step, { step: "purge" | "forget" | "put" | "remove" | "reseal" }> | DeliveryStep | StatisticsStep;

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
  "forgetStatistics",
]);

/** Whether the step is about many rows, so that steps about one job must not wait for it. */
export function isOfMany({ step }: Step): boolean {
  return OF_MANY.has(step);
}

/** Decides a step about what is at hand in the unit. */
export function postgresRunStep(step: Exclude<Step, LoneStep>, now: number, unit: Unit): StepAnswer {
  switch (step.step) {
    case "enqueue":
      return postgresEnqueue(step, now, unit);
    case "take":
      return postgresTake(step, now, unit);
    case "finish":
      return postgresFinish(step, now, unit);
    case "append":
      return postgresAppend(step, now, unit);
    case "progress":
      return postgresProgress(step, now, unit);
    case "seen":
      return postgresSeen(step, now, unit);
    case "giveBack":
      return postgresGiveBack(step, now, unit);
    case "cancel":
      return postgresCancel(step, now, unit);
    case "retry":
      return postgresRetry(step, now, unit);
    case "noteColdStart":
      return postgresNoteColdStart(step, now, unit);
    case "setTtl":
      return postgresSetTtl(step, now, unit);
    case "drain":
      return postgresDrain(step, now, unit);
  }
}

export function postgresRunLone(
  step: LoneStep,
  now: number,
  unit: Unit,
  connection: Connection,
): Promise<StepAnswer> {
  switch (step.step) {
    case "purge":
      return postgresPurge(step, now, unit, connection);
    case "forget":
      return postgresForget(step, now, unit, connection);
    case "put":
      return postgresPut(step, now, unit, connection);
    case "remove":
      return postgresRemove(step, now, unit, connection);
    case "reseal":
      return postgresReseal(step, now, unit, connection);
    case "claimDeliveries":
      return postgresClaimDeliveries(step, now, unit, connection);
    case "recordDeliveries":
      return postgresRecordDeliveries(step, now, unit, connection);
    case "releaseDeliveries":
      return postgresReleaseDeliveries(step, now, unit, connection);
    case "redeliver":
      return postgresRedeliver(step, now, unit, connection);
    case "forgetDeliveries":
      return postgresForgetDeliveries(step, now, unit, connection);
    case "addStatistics":
      return postgresAddStatistics(step, now, unit, connection);
    case "forgetStatistics":
      return postgresForgetStatistics(step, now, unit, connection);
  }
}
