import { ForebayError } from "../domain/errors.ts";
import type { DurationRule } from "../domain/policy.ts";

/** The parameters of a query; each at most once. */
export interface Query {
  text(name: string): string | undefined;
  /** Milliseconds; undefined when it is not there. Throws INVALID_QUERY outside of the rule. */
  duration(name: string, rule: DurationRule): number | undefined;
  /** An integer from `min` to `max`; undefined when it is not there. Throws INVALID_QUERY. */
  integer(name: string, min: number, max: number): number | undefined;
  /** `true`, or `false`, which is the same as nothing. Throws INVALID_QUERY for anything else. */
  flag(name: string): boolean;
}

export function parseQuery(encoded: string): Query {
  const parameters = new URLSearchParams(encoded);

  function text(name: string): string | undefined {
    const values = parameters.getAll(name);
    if (values.length > 1) throw new ForebayError("INVALID_QUERY", `${name} is given more than once.`);
    return values[0];
  }

  function integer(name: string, min: number, max: number): number | undefined {
    const given = text(name);
    if (given === undefined) return undefined;
    const value = /^[0-9]{1,15}$/.test(given) ? Number(given) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new ForebayError(
      "INVALID_QUERY",
      `${name} is invalid; must be an integer between ${min} and ${max}.`,
    );
  }

  function flag(name: string): boolean {
    const given = text(name) ?? "false";
    if (given === "true" || given === "false") return given === "true";
    throw new ForebayError("INVALID_QUERY", `${name} is invalid; must be true or false.`);
  }

  return { text, integer, flag, duration: (name, rule) => integer(name, rule.min, rule.max) };
}
