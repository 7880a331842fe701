import { ForebayError } from "../domain/errors.ts";
import type { DurationRule } from "../domain/policy.ts";

export function parseQuery(encoded: string): Query {
  return new Query(encoded);
}

/** The parameters of a query; each at most once, but for `texts`. */
export class Query {
  readonly #encoded: string;

  constructor(encoded: string) {
    this.#encoded = encoded;
  }

  text(name: string): string | undefined {
    const values = this.texts(name);
    if (values.length > 1)
      throw new ForebayError("INVALID_QUERY", `${name} is given more than once. Give it once.`);
    return values[0];
  }

  /** All values of a parameter that can be given more than once. */
  texts(name: string): string[] {
    const encoded = this.#encoded;
    if (encoded === "") return [];
    return isPlain(encoded) ? plainValues(encoded, name) : new URLSearchParams(encoded).getAll(name);
  }

  /** Milliseconds; undefined if it is left out. Throws INVALID_QUERY if the rule does not allow it. */
  duration(name: string, rule: DurationRule): number | undefined {
    return this.integer(name, rule.min, rule.max);
  }

  /** An integer from `min` to `max`; undefined if it is left out. Throws INVALID_QUERY. */
  integer(name: string, min: number, max: number): number | undefined {
    const given = this.text(name);
    if (given === undefined) return undefined;
    const value = /^[0-9]{1,15}$/.test(given) ? Number(given) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new ForebayError(
      "INVALID_QUERY",
      `${name} is invalid; must be an integer between ${min} and ${max}.`,
    );
  }

  /** `true` or `false`; false if it is left out. Throws INVALID_QUERY. */
  flag(name: string): boolean {
    const given = this.text(name) ?? "false";
    if (given === "true" || given === "false") return given === "true";
    throw new ForebayError("INVALID_QUERY", `${name} is invalid; must be true or false.`);
  }
}

/** Whether the query has no escapes. */
function isPlain(encoded: string): boolean {
  return !encoded.includes("%") && !encoded.includes("+") && !encoded.startsWith("?");
}

/** The values that URLSearchParams would find, which takes 2 µs. */
function plainValues(encoded: string, name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at <= encoded.length;) {
    const next = encoded.indexOf("&", at);
    const end = next === -1 ? encoded.length : next;
    const sign = at + name.length;
    if (encoded.startsWith(name, at)) {
      if (sign < end && encoded[sign] === "=") values.push(encoded.slice(sign + 1, end));
      else if (sign === end) values.push("");
    }
    at = end + 1;
  }
  return values;
}
