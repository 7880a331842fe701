import { type DurationRule, WAIT } from "../../../domain/policy.ts";
import type { Parameter } from "../description.ts";

export function integer(min: number, max: number, description: string): Parameter {
  return { description, schema: { type: "integer", minimum: min, maximum: max } };
}

export function milliseconds({ min, max }: DurationRule, description: string): Parameter {
  return integer(min, max, description);
}

export function flag(description: string): Parameter {
  return { description, schema: { type: "boolean", default: false } };
}

export function wait(byDefault: string): Parameter {
  return milliseconds(WAIT, `How long the call is held, ms. Default: ${byDefault}.`);
}

export function plainText(description: string, schema: Record<string, unknown> = {}): Parameter {
  return { description, schema: { type: "string", ...schema } };
}
