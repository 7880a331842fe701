import { DELIVERY_STATES } from "../../../domain/delivery.ts";
import { ROTATE_WEBHOOK_SECRET } from "../../manage/webhook-secrets.ts";
import { LISTED_WEBHOOKS, REDELIVER } from "../../manage/webhooks.ts";
import * as answers from "../../answers/webhook.ts";
import type { Described } from "../description.ts";
import { integer, plainText } from "./parameters.ts";

/** Operations on the webhooks of an endpoint (docs/webhooks.md). */
export const WEBHOOK_OPERATIONS = {
  "/v1/endpoints/{endpoint}/webhooks": {
    GET: {
      id: "listWebhooks",
      tag: "webhooks",
      summary: "List webhooks",
      description: "The newest first, with what came of the last attempt.",
      query: {
        status: plainText("Only those in this state.", { enum: [...DELIVERY_STATES] }),
        limit: integer(1, LISTED_WEBHOOKS.max, `How many at most. Default: ${LISTED_WEBHOOKS.default}.`),
        cursor: plainText("The `nextCursor` of the answer before."),
      },
      answers: { 200: { description: "The webhooks.", json: answers.WEBHOOKS } },
    },
  },
  "/v1/endpoints/{endpoint}/webhooks/redeliver": {
    POST: {
      id: "redeliverWebhooks",
      tag: "webhooks",
      summary: "Ask for webhooks once more",
      description: "Those of jobs that ended from `from` on and before `to`; `status` is FAILED by default.",
      body: {
        schema: REDELIVER.meta({ id: "Redelivery", description: "Which webhooks to ask for once more." }),
        example: { from: "2026-08-01T00:00:00Z", to: "2026-08-02T00:00:00Z", status: "FAILED" },
        isRequired: true,
      },
      answers: { 200: { description: "How many.", json: answers.REDELIVERED } },
      errors: ["STORAGE_FULL"],
    },
  },
  "/v1/endpoints/{endpoint}/webhooks/{delivery}/redeliver": {
    POST: {
      id: "redeliverWebhook",
      tag: "webhooks",
      summary: "Ask for a webhook once more",
      description: "With the same id and body. One whose attempt is under way stays as it is.",
      answers: { 200: { description: "The webhook.", json: answers.WEBHOOK } },
      errors: ["STORAGE_FULL"],
    },
  },
  "/v1/endpoints/{endpoint}/webhook-secret": {
    GET: {
      id: "readWebhookSecret",
      tag: "webhooks",
      summary: "Read the webhook secret",
      description: "It is made when it is first asked for, or needed.",
      answers: { 200: { description: "The secret.", json: answers.WEBHOOK_SECRET } },
      errors: ["STORAGE_FULL"],
    },
  },
  "/v1/endpoints/{endpoint}/webhook-secret/rotate": {
    POST: {
      id: "rotateWebhookSecret",
      tag: "webhooks",
      summary: "Rotate the webhook secret",
      description: "For `overlapMs` more, webhooks are signed with the secret from before as well.",
      body: {
        schema: ROTATE_WEBHOOK_SECRET.meta({
          id: "WebhookSecretRotation",
          description: "How long the secret from before still signs.",
        }),
        example: { overlapMs: 3_600_000 },
        isRequired: false,
      },
      answers: { 200: { description: "The new secret.", json: answers.WEBHOOK_SECRET } },
      errors: ["CHANGED_MEANWHILE", "STORAGE_FULL"],
    },
  },
} as const satisfies Partial<Described>;
