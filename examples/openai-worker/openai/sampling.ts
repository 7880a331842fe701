import type { Choice } from "../model/choose.ts";
import { randomOf } from "../model/random.ts";
import { SHAPE } from "../model/shape.ts";
import type { Body } from "./body.ts";
import { ModelError } from "./model-error.ts";

/** How an answer is to be made, as chat and completions have it in common. */
export interface Sampling extends Choice {
  readonly maxTokens: number | undefined;
  readonly stop: readonly string[];
  readonly isStream: boolean;
  /** A streamed answer ends with an event that has the counts. */
  readonly hasUsage: boolean;
}

/** Throws a ModelError for a value that cannot be. */
export function samplingOf(body: Body): Sampling {
  const seed = body.integer("seed", Number.MIN_SAFE_INTEGER);
  const most = body.integer("max_completion_tokens", 1);
  const isStream = body.flag("stream");
  return {
    temperature: body.number("temperature", 0, 2) ?? 1,
    topP: body.number("top_p", 0, 1) ?? 1,
    random: randomOf(seed ?? Math.floor(Math.random() * 2 ** 32)),
    maxTokens: body.integer("max_tokens", 1) ?? most,
    stop: body.texts("stop", 4) ?? [],
    isStream,
    hasUsage: usageIn(body.take("stream_options"), isStream),
  };
}

/** How many tokens may be written behind a prompt. Throws a ModelError when the prompt is too long. */
export function roomFor(prompt: readonly number[], wanted: number, param: string): number {
  const room = SHAPE.context - prompt.length;
  if (room >= 1) return Math.min(room, wanted);
  const sentence = `The model reads at most ${SHAPE.context - 1} tokens, and ${param} has ${prompt.length}.`;
  throw ModelError.badRequest(sentence, param);
}

function usageIn(options: unknown, isStream: boolean): boolean {
  if (options === undefined) return false;
  const param = "stream_options";
  if (!isStream) throw ModelError.badRequest(`${param} is only for calls with stream.`, param);
  if (typeof options === "object" && options !== null && "include_usage" in options) {
    if (typeof options.include_usage === "boolean") return options.include_usage;
  }
  throw ModelError.badRequest(`${param} must have include_usage, true or false.`, param);
}
