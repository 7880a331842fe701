import { ForebayError } from "./forebay-error.ts";

/** The answer of a call that was done. */
export interface Answer {
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
}

/** Reads what the server answered. Throws ForebayError unless it is a JSON object with status 200. */
export async function readAnswer(response: Response): Promise<Answer> {
  const { status, headers } = response;
  const body = parse(await response.text());
  if (status === 200 && body !== undefined) return { body, headers };
  if (typeof body?.["error"] === "string" && typeof body["code"] === "string") {
    throw new ForebayError(body["error"], body["code"], status);
  }
  const { origin } = new URL(response.url);
  throw new ForebayError(`${origin} is no Forebay server: it answered ${status}.`, "NOT_FOREBAY", status);
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // a proxy's page, for instance
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
