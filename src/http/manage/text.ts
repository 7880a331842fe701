import { z } from "zod";

/**
 * A text of `min` to `max` characters, none of them NUL, which PostgreSQL does not keep. Characters are
 * Unicode's, as JSON Schema counts them, so that the OpenAPI document says just what is checked.
 */
export function text(max: number, min = 0) {
  return z
    .string()
    .refine((value) => !value.includes("\0"), "must not have a NUL character")
    .refine((value) => value.length >= min, "must not be empty")
    .refine((value) => lengthIsUpTo(value, max), `must have at most ${max} characters`)
    .meta({ ...(min > 0 ? { minLength: min } : {}), maxLength: max, pattern: "^[^\\u0000]*$" });
}

function lengthIsUpTo(value: string, max: number): boolean {
  if (value.length <= max) return true;
  return value.length <= 2 * max && Array.from(value).length <= max;
}
