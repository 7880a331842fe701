import { z } from "zod";
import { WEBHOOK } from "./webhook-operations.ts";

const id = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/);
const count = z.int().min(0);

export const WAIT_REASON = z.strictObject({
  code: z.string().regex(/^[A-Z_]+$/),
  message: z.string().min(1),
  command: z
    .string()
    .regex(/^forebay [ -~]+$/)
    .optional(),
  lastLines: z.array(z.string()).optional(),
});

const ATTEMPT = z.strictObject({
  attempt: z.int().min(1),
  queuedAt: z.iso.datetime(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().optional(),
  workerId: id.optional(),
  version: z.int().min(1).optional(),
  host: id.optional(),
  gpus: z
    .array(z.strictObject({ uuid: z.string(), name: z.string() }))
    .min(1)
    .optional(),
  gpuSeconds: z.number().min(0).optional(),
  outcome: z.enum([
    "RUNNING",
    "COMPLETED",
    "FAILED",
    "TIMED_OUT",
    "CANCELLED",
    "LOST",
    "UNDELIVERED",
    "RETURNED",
  ]),
  error: z.string().max(2_048).optional(),
  output: z.unknown().optional(),
  exit: z
    .strictObject({ code: count.optional(), signal: z.string().optional(), reason: z.string() })
    .optional(),
  coldStart: z
    .strictObject({
      wantedAt: z.iso.datetime(),
      pullMs: count.optional(),
      bootMs: count.optional(),
      firstPollMs: count.optional(),
    })
    .optional(),
  chunks: count,
});

/** What docs/timeline.md promises. */
export const TIMELINE = z.strictObject({
  id,
  status: z.enum(["IN_QUEUE", "IN_PROGRESS", "COMPLETED", "FAILED", "CANCELLED", "TIMED_OUT"]),
  attempt: count,
  retries: count,
  submittedAt: z.iso.datetime(),
  traceContext: z.strictObject({ traceparent: z.string(), tracestate: z.string().optional() }).optional(),
  queuedAt: z.iso.datetime(),
  startedAt: z.iso.datetime().optional(),
  endedAt: z.iso.datetime().optional(),
  workerId: id.optional(),
  version: z.int().min(1).optional(),
  lowPriority: z.boolean(),
  tags: z.array(z.string()).min(1).max(8).optional(),
  resubmittedFrom: z.strictObject({ endpoint: id, id }).optional(),
  executionTimeout: count,
  ttl: count,
  position: z.int().min(1).optional(),
  reason: WAIT_REASON.optional(),
  attempts: z.array(ATTEMPT).max(50),
  chunks: z.strictObject({ count, bytes: count }),
  progress: z.unknown().optional(),
  webhooks: z.array(WEBHOOK),
});
