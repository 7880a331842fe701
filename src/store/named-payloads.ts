import type { Payload } from "../domain/payload.ts";
import type { Step } from "./steps.ts";

/** The payloads that a step would have the store keep. */
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
