import { z } from "zod";
import { type Delivery, DELIVERY_STATES } from "../../domain/delivery.ts";
import { type Answered, count, dateText, id, jobState, moment, type Shown } from "./members.ts";

/** Webhooks and the secrets that sign them (spec 6; docs/webhooks.md). */
export const delivery = z
  .strictObject({
    id: z.string().meta({ description: "The header `webhook-id` of each of its attempts." }),
    job: id,
    jobStatus: jobState,
    status: z.enum(DELIVERY_STATES),
    receiver: z.string().meta({ description: "Host and port of the address." }),
    attempts: count.meta({ description: "Those that have come to their end." }),
    createdAt: moment,
    nextAttemptAt: moment.optional().meta({ description: "While it is PENDING." }),
    lastAttemptAt: moment.optional(),
    responseStatus: z.int().optional().meta({ description: "Of the last answer." }),
    error: z.string().optional().meta({ description: "Why the last attempt had no answer." }),
  })
  .meta({ id: "Webhook", description: "The call that tells one end of a job." });

export const WEBHOOK = {
  schema: delivery,
  example: {
    id: "0mb9c2k7x_1a2b3c_019c2f6e-8a41-7c1d-9d53-2f4b6a7c8e90-u1",
    job: "019c2f6e-8a41-7c1d-9d53-2f4b6a7c8e90-u1",
    jobStatus: "COMPLETED",
    status: "DELIVERED",
    receiver: "hooks.example.com:443",
    attempts: 1,
    createdAt: "2026-08-01T12:00:00.000Z",
    lastAttemptAt: "2026-08-01T12:00:00.120Z",
    responseStatus: 200,
  },
};

export type WebhookAnswer = Answered<typeof delivery>;

/** The address is a secret of the job: its host and port are shown. */
export function presentDelivery(delivery: Delivery): Shown<WebhookAnswer> {
  const { id, job, jobState, state, receiver, endedAt, dueAt, attempts, last } = delivery;
  return {
    id,
    job,
    jobStatus: jobState,
    status: state,
    receiver,
    attempts,
    createdAt: dateText(endedAt),
    nextAttemptAt: state === "PENDING" ? dateText(dueAt) : undefined,
    lastAttemptAt: dateText(last?.at),
    responseStatus: last?.status,
    error: last?.reason,
  };
}

export const WEBHOOKS = {
  schema: z.strictObject({
    webhooks: z.array(delivery),
    nextCursor: z.string().optional().meta({ description: "There may be more behind it." }),
  }),
  example: { webhooks: [WEBHOOK.example] },
};

export type WebhooksAnswer = Answered<typeof WEBHOOKS.schema>;

export const REDELIVERED = {
  schema: z.strictObject({ redelivered: count.meta({ description: "How many are asked for once more." }) }),
  example: { redelivered: 12 },
};

export type RedeliveredAnswer = Answered<typeof REDELIVERED.schema>;

export const WEBHOOK_SECRET = {
  schema: z
    .strictObject({
      secret: z.string().regex(/^whsec_/),
      previousSecret: z
        .string()
        .regex(/^whsec_/)
        .optional(),
      previousUntil: moment.optional(),
    })
    .meta({ id: "WebhookSecret", description: "With what the webhooks of an endpoint are signed." }),
  example: { secret: "whsec_c2VjcmV0LXRoYXQtbm9ib2R5LWtub3dzLXlldA==" },
};

export type WebhookSecretAnswer = Answered<typeof WEBHOOK_SECRET.schema>;

/** A secret, and the one before it while that one signs too. */
interface Secrets {
  readonly secret: string;
  readonly previous: { readonly secret: string; readonly until: number } | undefined;
}

export function presentSecret({ secret, previous }: Secrets): Shown<WebhookSecretAnswer> {
  return { secret, previousSecret: previous?.secret, previousUntil: dateText(previous?.until) };
}
