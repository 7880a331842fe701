import { SHAPE } from "../model/shape.ts";
import type { Body } from "./body.ts";
import { ModelError } from "./model-error.ts";

/** A pond is a small thing beside a lake. 147,456 weights. */
export const MODEL_NAME = "pond-147k";

const MODEL = {
  id: MODEL_NAME,
  object: "model",
  created: 1_764_000_000,
  owned_by: "forebay",
  max_model_len: SHAPE.context,
};

/** The answer to /v1/models, or with a name to /v1/models/<name>. Throws a ModelError. */
export function models(name: string | undefined): object {
  if (name === undefined) return { object: "list", data: [MODEL] };
  requireModel(name);
  return MODEL;
}

/** Throws a ModelError when the call is for another model. */
export function takeModel(body: Body): void {
  const name = body.text("model");
  if (name === undefined) throw ModelError.badRequest("model is missing.", "model");
  requireModel(name);
}

function requireModel(name: string): void {
  if (name === MODEL_NAME) return;
  throw ModelError.notFound(`The model \`${name}\` does not exist. This worker has ${MODEL_NAME}.`, "model");
}
