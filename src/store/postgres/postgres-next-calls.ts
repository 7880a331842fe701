import { isStored, sizeOf } from "../../domain/payload.ts";
import { namedBy } from "../named-payloads.ts";
import type { Step } from "../steps.ts";
import { isLone } from "./postgres-run-step.ts";
import type { CallSteps } from "./postgres-commit.ts";
import { keyOf } from "../key-of.ts";

/** So many steps share a transaction at most: it must not hold its locks for long. */
const STEPS_TOGETHER = 256;

/** Bytes of payloads that travel together at most, when there is more than one call. */
const BYTES_TOGETHER = 4 * 1_048_576;

/**
 * The calls in an order in which takes find what the others bring: a job that is stored and handed out in one
 * transaction is written once. All of them are under way together, so that any order is one they could have
 * come in.
 */
export function takesLast<Call extends CallSteps>(calls: readonly Call[]): Call[] {
  const takes = (call: CallSteps): boolean => call.steps.some(({ step }) => step === "take");
  return [...calls.filter((call) => !takes(call)), ...calls.filter(takes)];
}

/** The calls that share the next transaction, the first of all among them, and those that wait on. */
export function nextOf<Call extends CallSteps>(
  waiting: readonly Call[],
): { together: Call[]; later: Call[] } {
  const [first, ...others] = waiting;
  if (first === undefined || !isGroupable(first)) {
    return { together: first === undefined ? [] : [first], later: others };
  }
  const together: Call[] = [];
  const later: Call[] = [];
  const touched = new Set<string>();
  const drained = new Set<string>();
  const limit = Math.max(STEPS_TOGETHER, first.steps.length);
  let steps = 0;
  let bytes = 0;
  for (const [index, call] of waiting.entries()) {
    if (steps >= limit || bytes >= BYTES_TOGETHER) {
      later.push(...waiting.slice(index));
      break;
    }
    const keys = call.steps.map(jobKeyOf).filter((key) => key !== undefined);
    const isDrain = call.steps[0]?.step === "drain";
    // What a drain answers is read before the others are decided.
    const isFree = keys.every((key) => !drained.has(key) && !(isDrain && touched.has(key)));
    if (!isFree || !isGroupable(call) || steps + call.steps.length > limit) {
      later.push(call);
      continue;
    }
    together.push(call);
    steps += call.steps.length;
    bytes += bytesOf(call);
    for (const key of keys) (isDrain ? drained : touched).add(key);
  }
  return { together, later };
}

/** Whether all that the steps need can be read before the first of them is decided. */
export function isGroupable({ steps }: CallSteps): boolean {
  const isRead = (step: Step) => step.step === "drain";
  return !steps.some(isLone) && (steps.length === 1 || !steps.some(isRead));
}

/** What of its payloads travels with the steps. */
function bytesOf({ steps }: CallSteps): number {
  const payloads = steps.flatMap(namedBy).filter((payload) => !isStored(payload));
  return payloads.reduce((sum, payload) => sum + sizeOf(payload), 0);
}

function jobKeyOf(step: Step): string | undefined {
  return "endpoint" in step && "id" in step ? keyOf(step.endpoint, step.id) : undefined;
}
