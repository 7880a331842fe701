import { failureOfOutput, type ModelFailure } from "./model-failure.ts";

/** An error has no more characters; longer chunks are not parsed. */
const LONGEST = 65_536;

/** JSON with or without the field name of an event. */
const ONE_OBJECT = /^\s*(data: ?)?(\{.*\})\s*$/s;

/**
 * The failure that a chunk of text is: `{"object":"error", …}` or `{"error": {…}}`, as it came from a model
 * server or as one event. Undefined for any other text.
 */
export function failureOfText(text: string): ModelFailure | undefined {
  const object = objectOf(text);
  return object && failureOfOutput(object.value);
}

/**
 * What is sent in the place of a later chunk: an event that clients of OpenAI raise, if the chunk is a
 * failure that they would not notice. Undefined if the chunk stays as it is.
 */
export function errorEventOf(text: string): string | undefined {
  const object = objectOf(text);
  const failure = object && failureOfOutput(object.value);
  const isRaised = object?.isEvent === true && "error" in object.value;
  return failure === undefined || isRaised ? undefined : `data: ${failure.text}\n\n`;
}

function objectOf(text: string): { readonly value: object; readonly isEvent: boolean } | undefined {
  if (text.length > LONGEST || !text.includes('"error"')) return undefined;
  const [, name, json] = ONE_OBJECT.exec(text) ?? [];
  if (json === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null ? { value, isEvent: name !== undefined } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
