import { randomUUID } from "node:crypto";
import { generate, type Piece } from "../model/generate.ts";
import type { LanguageModel } from "../model/language-model.ts";
import type { Dialect } from "./dialect.ts";
import { MODEL_NAME } from "./models.ts";
import { roomFor, type Sampling } from "./sampling.ts";

export interface Writing {
  readonly dialect: Dialect;
  readonly prompt: readonly number[];
  /** The member of the body that the prompt came from. */
  readonly param: string;
  readonly sampling: Sampling;
  readonly signal: AbortSignal;
}

/** Writes behind a prompt: events as text where they are asked for, else one object. Throws a ModelError. */
export async function* write(model: LanguageModel, writing: Writing): AsyncGenerator {
  const { dialect, prompt, param, sampling, signal } = writing;
  const maxTokens = roomFor(prompt, sampling.maxTokens ?? Infinity, param);
  const head = {
    id: dialect.prefix + randomUUID(),
    object: sampling.isStream ? dialect.chunk : dialect.object,
    created: Math.floor(Date.now() / 1_000),
    model: MODEL_NAME,
    system_fingerprint: model.fingerprint,
  };
  const pieces = generate(model, { ...sampling, prompt, maxTokens, signal });
  if (!sampling.isStream) {
    yield await whole(pieces, writing, head);
    return;
  }
  let isFirst = true;
  let count = 0;
  for await (const piece of pieces) {
    count = piece.count;
    if (piece.text === "" && piece.finish === undefined && !isFirst) continue;
    const choice = { index: 0, ...dialect.part(piece.text, isFirst), finish_reason: piece.finish ?? null };
    yield event({ ...head, choices: [choice] });
    isFirst = false;
  }
  if (sampling.hasUsage) yield event({ ...head, choices: [], usage: usageOf(prompt, count) });
  yield "data: [DONE]\n\n";
}

async function whole(
  pieces: AsyncIterable<Piece>,
  { dialect, prompt }: Writing,
  head: object,
): Promise<object> {
  let text = "";
  let last: Piece | undefined;
  for await (const piece of pieces) {
    text += piece.text;
    last = piece;
  }
  const choice = { index: 0, ...dialect.whole(text), logprobs: null, finish_reason: last?.finish ?? "stop" };
  return { ...head, choices: [choice], usage: usageOf(prompt, last?.count ?? 0) };
}

/** Counts what was read, marks included, and what was written. */
function usageOf(prompt: readonly number[], written: number): object {
  return {
    prompt_tokens: prompt.length,
    completion_tokens: written,
    total_tokens: prompt.length + written,
  };
}

function event(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}
