import { z } from "zod";
import { type DurationRule, EXECUTION_TIMEOUT, RETENTION, TTL } from "../../domain/policy.ts";
import { LIMIT_FIELDS } from "./limit-fields.ts";

const name = z.string().min(1, "must not be empty").max(191);

const workers = z.int().min(0).max(10_000);

function milliseconds({ min, max }: DurationRule): z.ZodType<number> {
  return z.int().min(min).max(max);
}

/** What can be said of an endpoint at any time; null is the default (design, row 20). */
const changeable = {
  workersMin: workers.nullish(),
  workersMax: workers.nullish(),
  idleTimeout: z.int().min(1).max(3_600).nullish(),
  executionTimeoutMs: milliseconds(EXECUTION_TIMEOUT).nullish(),
  ttlMs: milliseconds(TTL).nullish(),
  runRetentionMs: milliseconds(RETENTION).nullish(),
  runsyncRetentionMs: milliseconds(RETENTION).nullish(),
  ...LIMIT_FIELDS,
};

export const CREATE_ENDPOINT = z.strictObject({ name, templateId: z.string().nullish(), ...changeable });

/** What is left out stays as it is. */
export const UPDATE_ENDPOINT = z.strictObject({ name: name.optional(), ...changeable });
