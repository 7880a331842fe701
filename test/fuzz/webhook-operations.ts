import { z } from "zod";
import { REDELIVERY, ROTATION } from "./management-bodies.ts";
import { NO_NUMBERS, operation } from "./operation.ts";

const id = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/);
const count = z.int().min(0);

export const WEBHOOK = z.strictObject({
  id,
  job: id,
  jobStatus: z.enum(["COMPLETED", "FAILED", "CANCELLED", "TIMED_OUT"]),
  status: z.enum(["PENDING", "DELIVERED", "FAILED"]),
  receiver: z.string().regex(/:[0-9]+$/),
  attempts: count,
  createdAt: z.iso.datetime(),
  nextAttemptAt: z.iso.datetime().optional(),
  lastAttemptAt: z.iso.datetime().optional(),
  responseStatus: z.int().optional(),
  error: z.string().min(1).optional(),
});
const WEBHOOKS = z.strictObject({
  webhooks: z.array(WEBHOOK),
  nextCursor: z.string().min(1).optional(),
});
const REDELIVERED = z.strictObject({ redelivered: count });
const webhookSecret = z.string().regex(/^whsec_[A-Za-z0-9+/]{43}=$/);
const WEBHOOK_SECRET = z.strictObject({
  secret: webhookSecret,
  previousSecret: webhookSecret.optional(),
  previousUntil: z.iso.datetime().optional(),
});

/** docs/api.md, 6. */
export const WEBHOOK_OPERATIONS = {
  listWebhooks: operation(
    {
      name: "list webhooks",
      path: "/v1/endpoints/{endpoint}/webhooks",
      query: {
        status: { valid: ["PENDING", "DELIVERED", "FAILED"], wrong: ["", "LOST", "failed", "COMPLETED"] },
        limit: { valid: ["1", "20", "1000"], wrong: [...NO_NUMBERS, "0", "1001"] },
        cursor: { valid: ["msg_0", "msg_000000000_0_x"], wrong: [] },
      },
    },
    WEBHOOKS,
  ),
  redeliver: operation(
    {
      name: "redeliver a webhook",
      methods: ["POST"],
      path: "/v1/endpoints/{endpoint}/webhooks/{delivery}/redeliver",
      conflicts: ["DELIVERY_NOT_FOUND"],
    },
    WEBHOOK,
  ),
  redeliverRange: operation(
    {
      name: "redeliver webhooks",
      methods: ["POST"],
      path: "/v1/endpoints/{endpoint}/webhooks/redeliver",
      body: REDELIVERY,
    },
    REDELIVERED,
  ),
  readWebhookSecret: operation(
    {
      name: "read the webhook secret",
      path: "/v1/endpoints/{endpoint}/webhook-secret",
    },
    WEBHOOK_SECRET,
  ),
  rotateWebhookSecret: operation(
    {
      name: "rotate the webhook secret",
      methods: ["POST"],
      path: "/v1/endpoints/{endpoint}/webhook-secret/rotate",
      body: ROTATION,
      conflicts: ["CHANGED_MEANWHILE"],
    },
    WEBHOOK_SECRET,
  ),
} as const;
