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
  summary: "Encrypt all secrets at rest with the newest key",
  description:
    "A server that keeps its key itself creates a new one. Otherwise first set the new key and the " +
    "previous one on every server. Answers when all secrets are encrypted.",
  body: {
    schema: z.strictObject({}).meta({ id: "SecretRotation", description: "It has no members." }),
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
