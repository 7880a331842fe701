import { z } from "zod";
import { DELIVERY_STATES } from "../../domain/delivery.ts";
import { deliveries, redeliver, redeliverRange } from "../../engine/webhooks/deliveries.ts";
import { endpointOperation } from "../account-operation.ts";
import {
  presentDelivery,
  REDELIVERED,
  type RedeliveredAnswer,
  WEBHOOK,
  WEBHOOKS,
  type WebhooksAnswer,
} from "../answers/webhook.ts";
import { choice, integer, plainText } from "../parameters.ts";
import { jsonValue } from "../reply.ts";

const LIMIT = { default: 100, max: 1_000 };

const time = z.iso.datetime({ offset: true, error: "must be a time like 2026-01-31T12:00:00Z" });

const list = endpointOperation({
  id: "listWebhooks",
  method: "GET",
  path: "/v1/endpoints/{endpoint}/webhooks",
  access: "read",
  tag: "webhooks",
  summary: "List webhooks",
  description: "The newest first, with what came of the last attempt.",
  query: {
    status: choice(DELIVERY_STATES, "Only those in this state."),
    limit: integer(1, LIMIT.max, `How many at most. Default: ${LIMIT.default}.`),
    cursor: plainText("The `nextCursor` of the answer before."),
  },
  answers: { 200: { description: "The webhooks.", json: WEBHOOKS } },
  async handle({ engine }, _call, { endpoint: { id: endpoint }, query }) {
    const { status: state, limit = LIMIT.default, cursor: from } = query();
    const { deliveries: found, next } = await deliveries(engine, { endpoint, state, from, limit });
    return jsonValue({ webhooks: found.map(presentDelivery), nextCursor: next } satisfies WebhooksAnswer);
  },
});

const redeliverAll = endpointOperation({
  id: "redeliverWebhooks",
  method: "POST",
  path: "/v1/endpoints/{endpoint}/webhooks/redeliver",
  access: "write",
  tag: "webhooks",
  summary: "Ask for webhooks once more",
  description: "Those of jobs that ended from `from` on and before `to`; `status` is FAILED by default.",
  body: {
    schema: z
      .strictObject({ from: time, to: time, status: z.enum(DELIVERY_STATES).default("FAILED") })
      .meta({ id: "Redelivery", description: "Which webhooks to ask for once more." }),
    example: { from: "2026-08-01T00:00:00Z", to: "2026-08-02T00:00:00Z", status: "FAILED" },
    isRequired: true,
  },
  answers: { 200: { description: "How many.", json: REDELIVERED } },
  errors: ["STORAGE_FULL"],
  async handle({ engine }, _call, { endpoint: { id: endpoint }, body }) {
    const { from, to, status: state } = await body();
    const range = { endpoint, state, from: Date.parse(from), to: Date.parse(to) };
    return jsonValue({ redelivered: await redeliverRange(engine, range) } satisfies RedeliveredAnswer);
  },
});

const redeliverOne = endpointOperation({
  id: "redeliverWebhook",
  method: "POST",
  path: "/v1/endpoints/{endpoint}/webhooks/{delivery}/redeliver",
  access: "write",
  tag: "webhooks",
  summary: "Ask for a webhook once more",
  description: "With the same id and body. One whose attempt is under way stays as it is.",
  answers: { 200: { description: "The webhook.", json: WEBHOOK } },
  errors: ["STORAGE_FULL"],
  async handle({ engine }, { parameters: [, id = ""] }, { endpoint }) {
    return jsonValue(presentDelivery(await redeliver(engine, endpoint.id, id)));
  },
});

/** The webhooks of an endpoint: list, and deliver again (docs/webhooks.md). */
export const WEBHOOK_OPERATIONS = [list, redeliverAll, redeliverOne] as const;
