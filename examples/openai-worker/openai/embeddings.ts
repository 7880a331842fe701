import { setImmediate } from "node:timers/promises";
import { embed } from "../model/embed.ts";
import type { LanguageModel } from "../model/language-model.ts";
import { SHAPE } from "../model/shape.ts";
import type { Body } from "./body.ts";
import { ModelError } from "./model-error.ts";
import { MODEL_NAME } from "./models.ts";
import { encoded } from "./prompts.ts";
import { roomFor } from "./sampling.ts";

/** Texts of one call. */
const MOST = 256;

/** A vector of 64 numbers for each text, in their order. Throws a ModelError. */
export async function* embeddings(
  model: LanguageModel,
  body: Body,
  signal: AbortSignal,
): AsyncGenerator<object> {
  const texts = body.texts("input", MOST);
  if (texts === undefined) throw ModelError.badRequest("input is missing.", "input");
  const format = body.text("encoding_format") ?? "float";
  if (format !== "float" && format !== "base64") {
    throw ModelError.badRequest("encoding_format must be float or base64.", "encoding_format");
  }
  body.integer("dimensions", SHAPE.width, SHAPE.width);
  body.finish();
  let count = 0;
  const data: object[] = [];
  for (const [index, text] of texts.entries()) {
    const tokens = encoded(model.tokenizer, text, "input");
    roomFor(tokens, 1, "input");
    count += tokens.length;
    const vector = Float32Array.from(embed(model, tokens));
    data.push({ object: "embedding", index, embedding: format === "float" ? [...vector] : base64Of(vector) });
    // As after each token that is written: the worker has its heartbeat, and other jobs.
    await setImmediate();
    if (signal.aborted) return;
  }
  const usage = { prompt_tokens: count, total_tokens: count };
  yield { object: "list", data, model: MODEL_NAME, usage };
}

/** As the clients of OpenAI ask for it: 32 bits for each number, the least significant byte first. */
function base64Of(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString("base64");
}
