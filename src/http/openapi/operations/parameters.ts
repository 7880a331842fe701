import { type DurationRule, WAIT } from "../../../domain/policy.ts";
import { PAGE_LIMIT } from "../../manage/page.ts";
import type { Parameter } from "../description.ts";

export function integer(min: number, max: number, description: string): Parameter {
  return { description, schema: { type: "integer", minimum: min, maximum: max } };
}

export function milliseconds({ min, max }: DurationRule, description: string): Parameter {
  return integer(min, max, description);
}

export function wait(byDefault: string): Parameter {
  return milliseconds(WAIT, `How long the call is held, ms. Default: ${byDefault}.`);
}

/** `true` or `false`; false when it is not there. */
export function flag(description: string): Parameter {
  return { description, schema: { type: "boolean", default: false } };
}

/** Of a list that comes page by page. */
export const PAGE = {
  limit: integer(1, PAGE_LIMIT.max, `How many at most. Default: ${PAGE_LIMIT.default}.`),
  cursor: plainText("The `nextCursor` of the page before."),
};

export function plainText(description: string, schema: Record<string, unknown> = {}): Parameter {
  return { description, schema: { type: "string", ...schema } };
}
