import type { Step } from "../../src/store/steps.ts";
import { isOneJobStep, isOtherStep } from "../model/steps.ts";
import { isObject } from "./is-object.ts";

/**
 * What an answer says of one job, without payloads and in the form that it has after a trip through JSON; so
 * that what a store answered can be compared with what the model says.
 */
export function gistOf(says: unknown): string {
  // In a list JSON writes undefined as null.
  return JSON.stringify(withoutPayloads(says ?? undefined)) ?? "nothing";
}

/** The part of a step's answer that speaks of the job. */
export function saidOf(step: Step, answer: unknown, id: string): unknown {
  if (!isObject(answer) || isOneJobStep(step)) return answer;
  if (isOtherStep(step)) return undefined;
  switch (step.step) {
    case "take":
      return Array.isArray(answer)
        ? answer.find((job: unknown) => isObject(job) && job["id"] === id)
        : undefined;
    case "purge":
      return Array.isArray(answer["ids"]) && answer["ids"].includes(id) ? id : undefined;
    case "seen": {
      const { denied } = answer;
      return Array.isArray(denied)
        ? denied.find((job: unknown) => isObject(job) && job["id"] === id)
        : undefined;
    }
    case "forget":
      return undefined;
  }
}

const PAYLOADS = new Set(["body", "secret", "output", "error", "progress"]);

/** The value with payloads left out, chunks counted, and members in the order of their names. */
export function withoutPayloads(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPayloads);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !PAYLOADS.has(name))
      .map(([name, member]) => [
        name,
        name === "chunks" && Array.isArray(member) ? member.length : withoutPayloads(member),
      ])
      .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  );
}
