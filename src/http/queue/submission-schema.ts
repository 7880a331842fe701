import { z } from "zod";
import { type DurationRule, EXECUTION_TIMEOUT, TTL } from "../../domain/policy.ts";
import { WEBHOOK_LIMIT } from "./submission-members.ts";

/**
 * What `parseSubmission` takes, for the OpenAPI document: it checks bytes, and never makes values of them
 * (decision 0020). `test/openapi/bodies.test.ts` holds both to each other.
 */
const policy = z
  .looseObject({
    executionTimeout: milliseconds(EXECUTION_TIMEOUT).optional().meta({
      description: "ms that an attempt may run. Default: the endpoint's.",
    }),
    lowPriority: z.boolean().optional().meta({ description: "When true the job makes no worker start." }),
    ttl: milliseconds(TTL).optional().meta({
      description: "ms over queue and run, from the submission. Default: the endpoint's.",
    }),
  })
  .meta({ id: "Policy", description: "How long a job may take." });

const s3Config = z
  .looseObject({
    accessId: z.string().optional(),
    accessSecret: z.string().optional(),
    bucketName: z.string().optional(),
    endpointUrl: z.string().optional(),
  })
  .meta({
    id: "S3Config",
    description: "Handed to the worker as it is; encrypted on the disk, and in no answer. At most 64 kB.",
  });

const webhook = z
  .string()
  // Its quotes count.
  .max(WEBHOOK_LIMIT - 2)
  .regex(/^https?:\/\//)
  .meta({ format: "iri", description: "An http or https address (WHATWG URL); handed to the worker." });

export const SUBMISSION = z
  .looseObject({
    input: z
      .looseObject({})
      .meta({ description: "The parameters of the job: its worker gets them byte for byte." }),
    webhook: webhook.nullish(),
    policy: policy.nullish(),
    s3Config: s3Config.nullish(),
  })
  .meta({
    id: "Submission",
    description: "A job to be done. Further members go to the worker; `id` is ours to set, and is left out.",
  });

function milliseconds({ min, max }: DurationRule) {
  return z.int().min(min).max(max);
}
