import { z } from "zod";
import { type DurationRule, EXECUTION_TIMEOUT, TTL } from "../../domain/policy.ts";
import { MAX_TAGS, TAG } from "../../domain/tags.ts";
import { plainText } from "../parameters.ts";
import { WEBHOOK_LIMIT } from "./submission-members.ts";

const tag = z.string().regex(TAG).meta({ minLength: 1, maxLength: 64 });

/**
 * What `parseSubmission` accepts, for the OpenAPI document. The server checks the bytes, and never creates
 * values of them (decision 0020). `test/openapi/bodies.test.ts` checks that both agree.
 */
const policy = z
  .looseObject({
    executionTimeout: milliseconds(EXECUTION_TIMEOUT).nullish().meta({
      description: "ms that an attempt may run. Default: the endpoint's.",
    }),
    lowPriority: z.boolean().nullish().meta({ description: "When true the job makes no worker start." }),
    ttl: milliseconds(TTL).nullish().meta({
      description: "ms over queue and run, from the submission. Default: the endpoint's.",
    }),
    tags: z.array(tag).max(MAX_TAGS).meta({ uniqueItems: true }).nullish().meta({
      description: "Up to 8, to find the job by. No answer of the queue API contains them.",
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
  // The limit includes the quotes.
  .max(WEBHOOK_LIMIT - 2)
  .regex(/^https?:\/\//)
  .meta({ format: "iri", description: "An http or https address (WHATWG URL); handed to the worker." })
  .or(z.literal(""));

const submission = z
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

/** The body of a call that submits a job. */
export const SUBMISSION = {
  schema: submission,
  example: { input: { name: "world" }, policy: { executionTimeout: 60_000, ttl: 3_600_000 } },
  isRequired: true,
};

/** The W3C trace context of calls that create a job. An invalid one is ignored. */
export const TRACED = {
  traceparent: plainText(
    "The trace that the job belongs to (W3C trace context): its worker gets it as `traceContext`, and its " +
      "webhook as headers.",
  ),
  tracestate: plainText("Goes with `traceparent`."),
};

/** 1 to 255 visible ASCII characters. */
export const IDEMPOTENCY_KEY = /^[!-~]{1,255}$/;

/** The headers of a call that submits a job. */
export const SUBMISSION_HEADERS = {
  "Idempotency-Key": plainText(
    "Names the submission for a day: the same body again is the same job, another body is refused.",
    { pattern: IDEMPOTENCY_KEY.source },
  ),
  ...TRACED,
};

function milliseconds({ min, max }: DurationRule) {
  return z.int().min(min).max(max);
}
