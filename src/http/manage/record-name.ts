import { z } from "zod";

const MAX_NAME = 191;

/** The name of a record, as people choose it. PostgreSQL keeps no NUL. */
export const recordName = z
  .string()
  .min(1, "must not be empty")
  .max(MAX_NAME, `must have at most ${MAX_NAME} characters`)
  .refine((value) => !value.includes("\0"), "must not have a NUL character");
