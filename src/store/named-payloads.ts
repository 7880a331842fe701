import type { Payload } from "../domain/payload.ts";
import type { Step } from "./steps.ts";

/** No call takes longer from writing a payload to the step that names it, ms. */
export const ORPHAN_AGE = 3_600_000;

/** The payloads that the store must keep for a step. */
export function namedBy(step: Step): readonly Payload[] {
  if (step.step === "enqueue") return given(step.body, step.secret);
  if (step.step === "finish") return given(step.output, step.error);
  if (step.step === "append") return step.chunks;
  if (step.step === "reseal") return step.values.map(({ by }) => by);
  return step.step === "progress" ? [step.value] : [];
}

function given(...payloads: readonly (Payload | undefined)[]): Payload[] {
  return payloads.filter((payload) => payload !== undefined);
}
