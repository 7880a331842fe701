/** The answer of a queue call. */
interface Answer {
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
}

/** Reads the answer of the server. Throws ForebayError unless it is a JSON object. */
export async function readObject(response: Response): Promise<Answer> {
  const body = parse(await response.text());
  if (isObject(body)) return { body, headers: response.headers };
  throw notForebay(response);
}

/** The same for any JSON; undefined for an answer without content (204). */
export async function readJson(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  const body = parse(await response.text());
  if (body !== undefined) return body;
  throw notForebay(response);
}

/** The error in an answer. */
export async function faultOf(response: Response): Promise<ForebayError> {
  const body = parse(await response.text());
  if (!isObject(body)) return notForebay(response);
  // Below /openai, the message is where OpenAI clients expect it.
  const told = isObject(body["error"]) ? body["error"] : { message: body["error"], code: body["code"] };
  const { message, code } = told;
  if (typeof message !== "string") return notForebay(response);
  return new ForebayError(message, typeof code === "string" ? code : "", response.status);
}

function notForebay({ url, status }: Response): ForebayError {
  const { origin } = new URL(url);
  return new ForebayError(`${origin} is not a Forebay server: it answered ${status}.`, "NOT_FOREBAY", status);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a proxy's page, for instance
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A call that the server refused or did not answer. */
export class ForebayError extends Error {
  override readonly name = "ForebayError";
  /**
   * The server's code (docs/errors.md), `UNREACHABLE` if no answer arrived, or `NOT_FOREBAY` if something
   * else answered, such as a proxy.
   */
  readonly code: string;
  /** The HTTP status; 0 without an answer. */
  readonly status: number;

  constructor(sentence: string, code: string, status: number, options?: ErrorOptions) {
    super(sentence, options);
    this.code = code;
    this.status = status;
  }
}
