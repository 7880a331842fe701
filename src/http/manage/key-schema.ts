import { z } from "zod";
import { OPERATORS_SCOPES, SCOPES } from "../../domain/scope.ts";
import { recordName } from "./record-name.ts";

const DAY = 86_400_000;

export const CREATE_KEY = z
  .strictObject({
    name: recordName,
    scopes: z.array(z.enum(SCOPES)).min(1, "must name a scope").max(SCOPES.length),
    endpoints: z.array(recordName).min(1, "must name an endpoint").max(1_000).nullish(),
    account: z.string().max(191).nullish(),
  })
  .refine(
    ({ scopes, endpoints }) =>
      (endpoints ?? undefined) === undefined || !scopes.some((scope) => OPERATORS_SCOPES.includes(scope)),
    {
      path: ["endpoints"],
      message: "a key with the scope admin or metrics cannot be bound to endpoints",
    },
  );

export const ROTATE_KEY = z.strictObject({
  overlapMs: z
    .int()
    .min(0)
    .max(30 * DAY)
    .default(DAY),
});
