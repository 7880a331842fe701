import { z } from "zod";
import { rotateWebhookSecret, webhookSecretOf } from "../../engine/records/webhook-secrets.ts";
import { endpointOperation } from "../account-operation.ts";
import { presentSecret, WEBHOOK_SECRET } from "../answers/webhook.ts";
import { jsonValue } from "../reply.ts";

const DAY = 86_400_000;

const read = endpointOperation({
  id: "readWebhookSecret",
  method: "GET",
  path: "/v1/endpoints/{endpoint}/webhook-secret",
  access: "manage",
  tag: "webhooks",
  summary: "Read the webhook secret",
  description: "It is made when it is first asked for, or needed.",
  answers: { 200: { description: "The secret.", json: WEBHOOK_SECRET } },
  errors: ["STORAGE_FULL"],
  async handle({ engine }, _call, { endpoint }) {
    return jsonValue(presentSecret(await webhookSecretOf(engine, endpoint)));
  },
});

const rotate = endpointOperation({
  id: "rotateWebhookSecret",
  method: "POST",
  path: "/v1/endpoints/{endpoint}/webhook-secret/rotate",
  access: "manage",
  tag: "webhooks",
  summary: "Rotate the webhook secret",
  description: "For `overlapMs` more, webhooks are signed with the old secret, too.",
  body: {
    schema: z
      .strictObject({
        overlapMs: z
          .int()
          .min(0)
          .max(30 * DAY)
          .default(DAY),
      })
      .meta({
        id: "WebhookSecretRotation",
        description: "How long the old secret also signs.",
      }),
    example: { overlapMs: 3_600_000 },
    isRequired: false,
  },
  answers: { 200: { description: "The new secret.", json: WEBHOOK_SECRET } },
  errors: ["CHANGED_MEANWHILE", "STORAGE_FULL"],
  async handle({ engine }, _call, { endpoint, body }) {
    const { overlapMs } = await body();
    return jsonValue(presentSecret(await rotateWebhookSecret(engine, endpoint, overlapMs)));
  },
});

/** The secrets that sign the webhooks of an endpoint: read, rotate. No other answer contains them. */
export const WEBHOOK_SECRET_OPERATIONS = [read, rotate] as const;
