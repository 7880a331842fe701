import { isJobStep, runJobStep } from "../job-steps/run-job-step.ts";
import type { Step, StepAnswers } from "../steps.ts";
import {
  claimDeliveries,
  forgetDeliveries,
  recordDeliveries,
  redeliver,
  releaseDeliveries,
} from "./steps/deliveries.ts";
import { clearHistory, recordEnded, trimHistory } from "./steps/history.ts";
import { addStatistics, forgetStatistics, put, remove } from "./steps/records.ts";
import { forget, purge } from "./steps/removals.ts";
import { reseal } from "./steps/reseal.ts";
import type { MemoryStepContext } from "./transaction.ts";

export type StepAnswer = StepAnswers[Step["step"]];

export function runStep(step: Step, now: number, context: MemoryStepContext): StepAnswer {
  if (isJobStep(step)) return runJobStep(step, now, context.transaction);
  switch (step.step) {
    case "purge":
      return purge(step, now, context);
    case "forget":
      return forget(step, now, context);
    case "put":
      return put(step, now, context);
    case "remove":
      return remove(step, now, context);
    case "reseal":
      return reseal(step, now, context);
    case "claimDeliveries":
      return claimDeliveries(step, now, context);
    case "recordDeliveries":
      return recordDeliveries(step, now, context);
    case "releaseDeliveries":
      return releaseDeliveries(step, now, context);
    case "redeliver":
      return redeliver(step, now, context);
    case "forgetDeliveries":
      return forgetDeliveries(step, now, context);
    case "recordEnded":
      return recordEnded(step, now, context);
    case "trimHistory":
      return trimHistory(step, now, context);
    case "clearHistory":
      return clearHistory(step, now, context);
    case "addStatistics":
      return addStatistics(step, now, context);
    case "forgetStatistics":
      return forgetStatistics(step, now, context);
  }
}
