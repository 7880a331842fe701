import { z } from "zod";

/** Workers find their endpoint and their token in these variables: only the server sets them (threat T3). */
const TAKEN_VARIABLES =
  /^(RUNPOD_(AI_API_KEY|POD_ID|ENDPOINT_ID|PING_INTERVAL|WEBHOOK_.*)|FOREBAY_(WORKER_TOKEN|EXCHANGE_URL))$/;

/** A label of hosts. */
export const hostLabel = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/,
    "must begin with a letter or a digit, and have only letters, digits, dots, - and _, 63 at most",
  );

const MAX_NAME = 191;

/** The name of a record, as people choose it. */
export const recordName = text(MAX_NAME, 1);

/** The environment variables of workers that a template or an endpoint sets. */
export const environment = z.record(
  z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]{0,255}$/, "is not the name of an environment variable")
    .refine((name) => !TAKEN_VARIABLES.test(name), "is set by the server; leave it out"),
  text(131_072),
);

/**
 * A text of `min` to `max` characters without NUL, which PostgreSQL cannot store. A character is a Unicode
 * code point, as in JSON Schema, so the OpenAPI document states exactly what the server checks.
 */
export function text(max: number, min = 0) {
  return z
    .string()
    .refine((value) => !value.includes("\0"), "must not contain a NUL character")
    .refine((value) => value.length >= min, "must not be empty")
    .refine((value) => lengthIsUpTo(value, max), `must have at most ${max} characters`)
    .meta({ ...(min > 0 ? { minLength: min } : {}), maxLength: max, pattern: "^[^\\u0000]*$" });
}

function lengthIsUpTo(value: string, max: number): boolean {
  if (value.length <= max) return true;
  return value.length <= 2 * max && Array.from(value).length <= max;
}
