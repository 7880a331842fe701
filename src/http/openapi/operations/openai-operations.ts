import { z } from "zod";
import { anyJson } from "../../answers/members.ts";
import type { Described, OperationDescription } from "../description.ts";
import { TRACED } from "./trace-headers.ts";

const COMPLETION = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1_763_769_600,
  model: "small",
  choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
};

const REQUEST = z
  .looseObject({
    stream: z.boolean().nullish().meta({ description: "When true the answer comes as Server-Sent Events." }),
  })
  .meta({ id: "OpenAiRequest", description: "What the route takes: the worker gets it byte for byte." });

const SUBMITTING = ["QUEUE_FULL", "STORAGE_FULL", "SHUTTING_DOWN"] as const;

const REQUEST_ID = {
  "X-Request-Id": { description: "The id of the job.", schema: { type: "string" } },
};

const POST: OperationDescription = {
  id: "openai",
  tag: "openai",
  summary: "Call a model with the API of OpenAI",
  description:
    "The body becomes the job's input: `openai_route`, the path behind `/openai`, and `openai_input`. The " +
    "answer is what the worker makes of it, as JSON, or with `stream` as Server-Sent Events that leave as " +
    "the worker puts them out. An error of the model has its own status, and OpenAI's shape. When the " +
    "caller goes, the job is cancelled. A body has at most 20 MB.",
  headers: TRACED,
  body: {
    schema: REQUEST,
    example: { model: "small", messages: [{ role: "user", content: "Hi" }] },
    isRequired: true,
  },
  answers: {
    200: {
      description: "What the worker answers.",
      json: { schema: anyJson("As the worker sent it."), example: COMPLETION },
      mediaType: "text/event-stream",
      headers: REQUEST_ID,
    },
  },
  errors: [...SUBMITTING, "PAYLOAD_DAMAGED"],
};

const GET: OperationDescription = {
  id: "openaiModels",
  tag: "openai",
  summary: "List the models of a worker, or read one",
  description: "Of the paths below `/openai` those of models, such as `v1/models`.",
  headers: TRACED,
  passesOverBody: true,
  answers: {
    200: {
      description: "What the worker answers.",
      json: {
        schema: anyJson("As the worker sent it."),
        example: { object: "list", data: [{ id: "small", object: "model" }] },
      },
      headers: REQUEST_ID,
    },
  },
  errors: ["METHOD_NOT_ALLOWED", "PAYLOAD_DAMAGED", ...SUBMITTING],
};

/** The OpenAI route (design, row 19). */
export const OPENAI_OPERATIONS = {
  "/v2/{endpoint}/openai/{route}": { GET, POST },
} as const satisfies Partial<Described>;
