import * as shapes from "./answer-shapes.ts";
import { MB, NO_BOOLEANS, some } from "./body-rule.ts";
import { operation } from "./operation.ts";

const path = "/v2/{endpoint}/openai/{route}";

/** docs/openai.md. What the worker makes of a call is the worker's business. */
export const OPENAI_OPERATIONS = {
  openai: operation(
    {
      name: "call a model",
      methods: ["POST"],
      path,
      routes: ["v1/chat/completions", "v1/embeddings", "v1/responses", "v2/any-thing/else_1"],
      body: {
        members: {
          stream: { valid: some("true", "false", "null"), wrong: NO_BOOLEANS },
          model: { valid: some('"small"', "1.0", '"Gr\\u00fc\\u00dfe"'), wrong: [] },
        },
        refusal: "INVALID_FIELD",
        isOpen: true,
        refusesDoubles: false,
        limit: 20 * MB,
      },
      isHeld: true,
    },
    shapes.ANYTHING,
  ),
  openaiModels: operation(
    {
      name: "read the models",
      path,
      routes: ["v1/models", "v1/models/team%2Fsmall"],
      passesOverBody: true,
      isHeld: true,
    },
    shapes.ANYTHING,
  ),
} as const;
