import type { LanguageModel } from "../model/language-model.ts";
import { Body } from "./body.ts";
import { CHAT, COMPLETION, type Dialect } from "./dialect.ts";
import { embeddings } from "./embeddings.ts";
import { ModelError } from "./model-error.ts";
import { models, takeModel } from "./models.ts";
import { chatPrompt, textPrompt } from "./prompts.ts";
import { samplingOf } from "./sampling.ts";
import { write } from "./write.ts";

/** What the OpenAI route of Forebay hands to a worker. */
export interface RouteInput {
  readonly openai_route?: string;
  readonly openai_input?: object;
}

/** The answer to a call: events as text where it is streamed, else an object. Throws a ModelError. */
export async function* route(
  model: LanguageModel,
  { openai_route, openai_input = {} }: RouteInput,
  signal: AbortSignal,
): AsyncGenerator {
  if (openai_route === undefined) {
    throw ModelError.badRequest("This worker answers calls of the OpenAI route alone.", "openai_route");
  }
  const path = openai_route.replace(/\?.*$/s, "");
  const [, list, name] = /^(\/v1\/models)(?:\/(.+))?$/.exec(path) ?? [];
  if (list !== undefined) {
    yield models(name && decodeURIComponent(name));
    return;
  }
  const answer = ANSWERS.get(path);
  if (answer === undefined) throw ModelError.notFound(`This worker has no route ${path}.`);
  const body = new Body(openai_input);
  takeModel(body);
  yield* answer(model, body, signal);
}

type Answer = (model: LanguageModel, body: Body, signal: AbortSignal) => AsyncIterable<unknown>;

const ANSWERS = new Map<string, Answer>([
  ["/v1/chat/completions", (...call) => writing(CHAT, ...call)],
  ["/v1/completions", (...call) => writing(COMPLETION, ...call)],
  ["/v1/embeddings", embeddings],
]);

function writing(
  dialect: Dialect,
  model: LanguageModel,
  body: Body,
  signal: AbortSignal,
): AsyncIterable<unknown> {
  const isChat = dialect === CHAT;
  const prompt = (isChat ? chatPrompt : textPrompt)(model.tokenizer, body);
  const asked = samplingOf(body);
  body.finish();
  // As OpenAI has it: a completion is short unless it is asked for more.
  const sampling = isChat ? asked : { ...asked, maxTokens: asked.maxTokens ?? 16 };
  return write(model, { dialect, prompt, param: isChat ? "messages" : "prompt", sampling, signal });
}
