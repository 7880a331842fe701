import { z } from "zod";
import { rotateKeys } from "../../engine/rotate-keys.ts";
import { accountOperation } from "../account-operation.ts";
import { ROTATED, type RotatedAnswer } from "../answers/server.ts";
import { jsonValue } from "../reply.ts";

/** Encrypts all secrets at rest by the newest key (docs/operate.md). */
export const rotateSecrets = accountOperation({
  id: "rotateSecrets",
  method: "POST",
  path: "/v1/secrets/rotate",
  access: "admin",
  tag: "secrets",
  summary: "Encrypt all secrets at rest by the newest key",
  description:
    "A server that keeps its key itself makes a new one. Otherwise the new key is set first, with the " +
    "one before beside it. Answered when all is done.",
  body: {
    schema: z.strictObject({}).meta({ id: "SecretRotation", description: "Nothing is to be said." }),
    example: {},
    isRequired: false,
  },
  answers: { 200: { description: "What was done.", json: ROTATED } },
  errors: ["KEY_NOT_REPLACEABLE", "STORAGE_FULL"],
  async handle({ engine }, _call, { body }) {
    await body();
    const { resealed, isPreviousRemoved } = await rotateKeys(engine);
    return jsonValue({ resealed, previousKeyRemoved: isPreviousRemoved } satisfies RotatedAnswer);
  },
});
