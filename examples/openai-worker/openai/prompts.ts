import { SHAPE } from "../model/shape.ts";
import { MARKS, type Tokenizer } from "../model/tokenizer.ts";
import type { Body } from "./body.ts";
import { ModelError } from "./model-error.ts";

const ROLES = new Map<unknown, number>([
  ["system", MARKS.system],
  ["developer", MARKS.system],
  ["user", MARKS.user],
  ["assistant", MARKS.assistant],
]);

/** A conversation as the model has learned to read it, up to where it answers. Throws a ModelError. */
export function chatPrompt(tokenizer: Tokenizer, body: Body): number[] {
  const messages = body.take("messages");
  if (!Array.isArray(messages) || messages.length === 0) {
    throw ModelError.badRequest("messages must be a list with at least one message.", "messages");
  }
  if (messages.length > SHAPE.context) throw tooLong("messages");
  const prompt: number[] = [MARKS.end];
  for (const [index, message] of messages.entries()) {
    const { role, content } = Object(message);
    const mark = ROLES.get(role);
    if (mark === undefined) {
      const known = [...ROLES.keys()].join(", ");
      throw ModelError.badRequest(`messages[${index}].role must be one of ${known}.`, "messages");
    }
    prompt.push(mark, ...encoded(tokenizer, textOf(content, index), "messages"));
  }
  return [...prompt, MARKS.assistant];
}

/** A text to go on with. Throws a ModelError. */
export function textPrompt(tokenizer: Tokenizer, body: Body): number[] {
  const [text] = body.texts("prompt", 1) ?? [];
  if (text === undefined) throw ModelError.badRequest("prompt is missing.", "prompt");
  return [MARKS.end, ...encoded(tokenizer, text, "prompt")];
}

/** The tokens of a text. Throws a ModelError for one that cannot be short enough, without reading it. */
export function encoded(tokenizer: Tokenizer, text: string, param: string): number[] {
  if (text.length > SHAPE.context * 32) throw tooLong(param);
  return tokenizer.encode(text);
}

function tooLong(param: string): ModelError {
  return ModelError.badRequest(
    `The model reads at most ${SHAPE.context - 1} tokens: ${param} has more.`,
    param,
  );
}

/** Content is a text, or a list of parts, of which this model reads those of text. */
function textOf(content: unknown, index: number): string {
  if (typeof content === "string") return content;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [undefined];
  const texts = parts.map((part) => {
    const { type, text } = Object(part);
    if (type === "text" && typeof text === "string") return text;
    throw ModelError.badRequest(`messages[${index}].content must be a text, or parts of text.`, "messages");
  });
  return texts.join("");
}
