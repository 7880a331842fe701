import { z } from "zod";
import { DELIVERY_STATES, type DeliveryState } from "../../domain/delivery.ts";
import { ForebayError } from "../../domain/errors.ts";
import { endpointOf } from "../../engine/records/find-endpoint.ts";
import { deliveries, redeliver, redeliverRange } from "../../engine/webhooks/deliveries.ts";
import { accountRoute } from "../account-route.ts";
import { presentDelivery, type RedeliveredAnswer, type WebhooksAnswer } from "../answers/webhook.ts";
import type { HttpContext } from "../context.ts";
import { parseQuery } from "../query.ts";
import { jsonValue } from "../reply.ts";
import type { Route } from "../route.ts";
import { parseBody } from "./parse-body.ts";

export const LISTED_WEBHOOKS = { default: 100, max: 1_000 };

const time = z.iso.datetime({ offset: true, error: "must be a time like 2026-01-31T12:00:00Z" });

export const REDELIVER = z.strictObject({
  from: time,
  to: time,
  status: z.enum(DELIVERY_STATES).default("FAILED"),
});

/** The webhooks of an endpoint: list, and ask for once more. */
export function webhookRoutes(context: HttpContext): Route[] {
  const { engine } = context;
  return [
    accountRoute(context, {
      methods: ["GET"],
      path: "/v1/endpoints/{endpoint}/webhooks",
      async handle(call, { account }) {
        const endpoint = endpointOf(engine, account, call.parameters[0] ?? "").id;
        const query = parseQuery(call.query);
        const limit = query.integer("limit", 1, LISTED_WEBHOOKS.max) ?? LISTED_WEBHOOKS.default;
        const state = parseState(query.text("status"));
        const from = query.text("cursor");
        const { deliveries: found, next } = await deliveries(engine, { endpoint, state, from, limit });
        return jsonValue({ webhooks: found.map(presentDelivery), nextCursor: next } satisfies WebhooksAnswer);
      },
    }),
    accountRoute(context, {
      methods: ["POST"],
      path: "/v1/endpoints/{endpoint}/webhooks/redeliver",
      async handle(call, { account }) {
        const { id: endpoint } = endpointOf(engine, account, call.parameters[0] ?? "");
        const { from, to, status: state } = await parseBody(context, call, REDELIVER);
        const range = { endpoint, state, from: Date.parse(from), to: Date.parse(to) };
        return jsonValue({ redelivered: await redeliverRange(engine, range) } satisfies RedeliveredAnswer);
      },
    }),
    accountRoute(context, {
      methods: ["POST"],
      path: "/v1/endpoints/{endpoint}/webhooks/{delivery}/redeliver",
      async handle(call, { account }) {
        const [endpoint = "", id = ""] = call.parameters;
        const { id: own } = endpointOf(engine, account, endpoint);
        return jsonValue(presentDelivery(await redeliver(engine, own, id)));
      },
    }),
  ];
}

function parseState(given: string | undefined): DeliveryState | undefined {
  const state = DELIVERY_STATES.find((known) => known === given);
  if (state !== undefined || given === undefined) return state;
  throw new ForebayError("INVALID_QUERY", `status is invalid; must be one of ${DELIVERY_STATES.join(", ")}.`);
}
