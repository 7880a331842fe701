import { z } from "zod";
import { endpointOf } from "../../engine/records/find-endpoint.ts";
import { rotateWebhookSecret, webhookSecretOf } from "../../engine/records/webhook-secrets.ts";
import { accountRoute } from "../account-route.ts";
import { presentSecret } from "../answers/webhook.ts";
import type { HttpContext } from "../context.ts";
import { jsonValue } from "../reply.ts";
import type { Route } from "../route.ts";
import { parseBody } from "./parse-body.ts";

const DAY = 86_400_000;

export const ROTATE_WEBHOOK_SECRET = z.strictObject({
  overlapMs: z
    .int()
    .min(0)
    .max(30 * DAY)
    .default(DAY),
});

/** What the webhooks of an endpoint are signed with: read, rotate. No other answer has it. */
export function webhookSecretRoutes(context: HttpContext): Route[] {
  const { engine } = context;
  return [
    accountRoute(context, {
      methods: ["GET"],
      path: "/v1/endpoints/{endpoint}/webhook-secret",
      async handle(call, { account }) {
        const endpoint = endpointOf(engine, account, call.parameters[0] ?? "");
        return jsonValue(presentSecret(await webhookSecretOf(engine, endpoint)));
      },
    }),
    accountRoute(context, {
      methods: ["POST"],
      path: "/v1/endpoints/{endpoint}/webhook-secret/rotate",
      async handle(call, { account }) {
        const endpoint = endpointOf(engine, account, call.parameters[0] ?? "");
        const { overlapMs } = await parseBody(context, call, ROTATE_WEBHOOK_SECRET);
        return jsonValue(presentSecret(await rotateWebhookSecret(engine, endpoint, overlapMs)));
      },
    }),
  ];
}
