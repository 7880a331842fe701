import { z } from "zod";
import { MOST_WORKERS, SCALER_TYPES } from "../../domain/endpoint.ts";
import { HISTORY_INPUTS } from "../../domain/history.ts";
import { type DurationRule, EXECUTION_TIMEOUT, RETENTION, TTL } from "../../domain/policy.ts";
import { HEADER_NAME, HEADER_VALUE, LONGEST_HEADER, MOST_WEBHOOK_RETRIES } from "../../domain/webhook.ts";
import { LIMIT_FIELDS } from "./limit-fields.ts";
import { COMPUTE_TYPE, names, PLACEMENT_FIELDS } from "./placement-fields.ts";
import { environment, hostLabel, recordName } from "./text-fields.ts";

const MOST_HEADERS = 20;
const MOST_GPUS = 128;
const MOST_CORES = 1_024;
const MOST_SHARED_MB = 1_048_576;

const workers = z.int().min(0).max(MOST_WORKERS);

function milliseconds({ min, max }: DurationRule): z.ZodType<number> {
  return z.int().min(min).max(max);
}

const HEADER_SENTENCE = `must be 1 to ${LONGEST_HEADER} printable ASCII characters`;

/** What can be set on an endpoint at any time; null is the default (design, row 20). */
const changeable = {
  templateId: z.string().nullish(),
  env: environment.nullish(),
  gpuCount: z.int().min(1).max(MOST_GPUS).nullish(),
  gpuTypeIds: names().nullish(),
  vcpuCount: z.int().min(1).max(MOST_CORES).nullish(),
  shmSizeInMb: z.int().min(1).max(MOST_SHARED_MB).nullish(),
  hostLabel: hostLabel.nullish(),
  workersMin: workers.nullish(),
  workersMax: workers.nullish(),
  idleTimeout: z.int().min(1).max(3_600).nullish(),
  scalerType: z.enum(SCALER_TYPES).nullish(),
  scalerValue: z.int().min(1).max(1_000_000).nullish(),
  releaseSurge: workers.nullish(),
  releasePace: workers.min(1).nullish(),
  isPaused: z.boolean().nullish(),
  executionTimeoutMs: milliseconds(EXECUTION_TIMEOUT).nullish(),
  ttlMs: milliseconds(TTL).nullish(),
  runRetentionMs: milliseconds(RETENTION).nullish(),
  runsyncRetentionMs: milliseconds(RETENTION).nullish(),
  webhookRetries: z.int().min(0).max(MOST_WEBHOOK_RETRIES).nullish(),
  webhookHeaders: z
    .record(
      z.string().regex(HEADER_NAME, "is not the name of a header"),
      z.string().max(LONGEST_HEADER, HEADER_SENTENCE).regex(HEADER_VALUE, HEADER_SENTENCE),
    )
    .refine(
      (headers) => Object.keys(headers).length <= MOST_HEADERS,
      `must have at most ${MOST_HEADERS} headers`,
    )
    .nullish(),
  historyInputs: z.enum(HISTORY_INPUTS).nullish(),
  ...LIMIT_FIELDS,
  ...PLACEMENT_FIELDS,
};

export const CREATE_ENDPOINT = z
  .strictObject({ name: recordName.optional(), ...COMPUTE_TYPE, ...changeable })
  // Without a name, the template gives one.
  .refine(({ name, templateId }) => name !== undefined || Boolean(templateId), {
    path: ["name"],
    message: "is required without a templateId",
  });

/** Members that are left out stay as they are. */
export const UPDATE_ENDPOINT = z.strictObject({ name: recordName.optional(), ...changeable });
