import { z } from "zod";

const openAiError = z.strictObject({
  message: z.string(),
  type: z.string().min(1),
  param: z.string().nullable(),
  code: z.union([z.string(), z.number()]).nullable(),
});

/** docs/openai.md: how a job ended, and a refusal of our own. */
export const OPENAI_ERROR = z.strictObject({ error: openAiError });
export const OPENAI_REFUSAL = z.strictObject({ error: openAiError, code: z.string(), status: z.int() });
