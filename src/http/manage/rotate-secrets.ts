import { z } from "zod";
import { rotateKeys } from "../../engine/rotate-keys.ts";
import { accountRoute } from "../account-route.ts";
import type { RotatedAnswer } from "../answers/server.ts";
import type { HttpContext } from "../context.ts";
import { jsonValue } from "../reply.ts";
import type { Route } from "../route.ts";
import { parseBody } from "./parse-body.ts";

export const ROTATE_SECRETS = z.strictObject({});

/** Seals all secrets at rest by the newest key. It answers when that is done. */
export function rotateSecretsRoute(context: HttpContext): Route {
  return accountRoute(context, {
    methods: ["POST"],
    path: "/v1/secrets/rotate",
    async handle(call) {
      await parseBody(context, call, ROTATE_SECRETS);
      const { resealed, isPreviousRemoved } = await rotateKeys(context.engine);
      return jsonValue({ resealed, previousKeyRemoved: isPreviousRemoved } satisfies RotatedAnswer);
    },
  });
}
