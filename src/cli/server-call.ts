import { CommandFault } from "./command-fault.ts";
import type { ServerAccess } from "./server-access.ts";

/** What the server said no to, with the code of its error. */
export class ServerFault extends CommandFault {
  readonly code: string;

  constructor(sentence: string, code: string) {
    super(sentence);
    this.code = code;
  }
}

/**
 * Calls the server, with POST if there is a body, and answers what came back as JSON that begins with
 * `opening`. Throws ServerFault with the server's sentence, or CommandFault when no Forebay server answers.
 */
export async function callServer(
  access: ServerAccess,
  path: string,
  opening: string,
  body?: object,
): Promise<unknown> {
  const text = await serverText(access, path, body === undefined ? undefined : JSON.stringify(body));
  if (text.startsWith(opening)) return JSON.parse(text);
  throw new CommandFault(`${access.server} is no Forebay server: it answered something else.`);
}

/** The same with the body, and what came back, as they are. */
export async function serverText(access: ServerAccess, path: string, body?: string): Promise<string> {
  return answerText(access, path, body === undefined ? {} : { method: "POST", body });
}

/** Calls the server with DELETE. Throws the same. */
export async function deleteOnServer(access: ServerAccess, path: string): Promise<void> {
  await answerText(access, path, { method: "DELETE" });
}

/** An answer that comes little by little, until `signal` ends it. Throws the same. */
export async function openOnServer(
  access: ServerAccess,
  path: string,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const response = await request(`${access.server}${path}`, access.key, { signal });
  if (!response.ok) throw faultOf(access, response.status, await response.text());
  return response.body ?? NOTHING;
}

interface Sent {
  readonly method?: "POST" | "DELETE";
  readonly body?: string;
  readonly signal?: AbortSignal;
}

const NOTHING = new ReadableStream<Uint8Array>({ start: (controller) => controller.close() });

async function answerText(access: ServerAccess, path: string, sent: Sent): Promise<string> {
  const response = await request(`${access.server}${path}`, access.key, sent);
  const text = await response.text();
  if (response.ok) return text;
  throw faultOf(access, response.status, text);
}

function faultOf({ server }: ServerAccess, status: number, text: string): CommandFault {
  if (text.startsWith('{"error":')) {
    const { error, code }: { error: string; code: string } = JSON.parse(text);
    return new ServerFault(error, code);
  }
  return new CommandFault(`${server} is no Forebay server: it answered ${status}.`);
}

async function request(url: string, key: string, sent: Sent): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  try {
    return await fetch(url, { headers, ...sent });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFault(`no server answers at ${url}: ${reason} Start it, or name it with --server.`);
  }
}
