import type { Job } from "../handler.ts";

/** What was asked for cannot be done; the message is a sentence for whoever asked. */
export class UsageFault extends Error {}

/** The job that a JSON text submits; `source` names the text. Throws UsageFault with a sentence. */
export function parseSubmission(source: string, text: string, newId: () => string): Job {
  const value = parseJson(source, text);
  if (!isRecord(value)) throw new UsageFault(`${source} must be a JSON object with a member input.`);
  const { input, id } = value;
  if (!isRecord(input)) throw new UsageFault(`${source} must have a member input that is an object.`);
  return { ...value, input, id: typeof id === "string" ? id : newId() };
}

function parseJson(source: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageFault(`${source} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
