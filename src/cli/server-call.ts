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

interface Sent {
  readonly method?: "POST" | "DELETE";
  readonly body?: string;
}

async function answerText({ server, key }: ServerAccess, path: string, sent: Sent): Promise<string> {
  const response = await request(`${server}${path}`, key, sent);
  const text = await response.text();
  if (response.ok) return text;
  if (text.startsWith('{"error":')) {
    const { error, code }: { error: string; code: string } = JSON.parse(text);
    throw new ServerFault(error, code);
  }
  throw new CommandFault(`${server} is no Forebay server: it answered ${response.status}.`);
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
