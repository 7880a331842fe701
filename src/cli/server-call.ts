import { Forebay, type ForebayError, type OtherCall } from "@forebay/worker/client";
import { CommandFault } from "./command-fault.ts";
import { durationText } from "./terminal/duration-text.ts";
import { tell } from "./terminal/terminal-text.ts";

/**
 * Calls the server, with POST if there is a body and no other method is said, and answers what came back:
 * JSON that begins with `opening`, which is `[` or `{` and perhaps a member of the object. Throws
 * ForebayError, or CommandFault when somebody else answers.
 */
export async function callServer<Answer = unknown>(
  access: ServerAccess,
  path: string,
  opening: string,
  body?: object,
  method: OtherCall["method"] = body === undefined ? "GET" : "POST",
): Promise<Answer> {
  const answer = await connect(access).call({ path, method, body });
  // The server's answers have the members that docs/api.md promises.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  if (isOpenedBy(answer, opening)) return answer as Answer;
  throw new CommandFault(`${access.server} is no Forebay server: it answered something else.`);
}

/**
 * The same with the body, and what came back, as they are: their numbers too. `hold` is how long the server
 * may hold the call, ms.
 */
export async function serverText(
  access: ServerAccess,
  path: string,
  { body, hold }: Pick<OtherCall, "hold"> & { readonly body?: string } = {},
): Promise<string> {
  const method = body === undefined ? "GET" : "POST";
  return (await connect(access).open({ path, method, body, hold })).text();
}

/** A call whose answer has no content. Throws the same. */
export async function tellServer(
  access: ServerAccess,
  path: string,
  method: "POST" | "DELETE",
): Promise<void> {
  await connect(access).call({ path, method });
}

/** An answer that comes little by little, until the signal of the call ends it. Throws the same. */
export async function openOnServer(
  access: ServerAccess,
  call: Omit<OtherCall, "method">,
): Promise<AsyncIterable<Uint8Array>> {
  const method = call.body === undefined ? "GET" : "POST";
  const { body } = await connect(access).open({ ...call, method });
  return body ?? NOTHING;
}

const NOTHING = new ReadableStream<Uint8Array>({ start: (controller) => controller.close() });

function isOpenedBy(answer: unknown, opening: string): boolean {
  if (opening.startsWith("[")) return Array.isArray(answer);
  const [, member] = /"(.*)"/.exec(opening) ?? [];
  const isObject = typeof answer === "object" && answer !== null && !Array.isArray(answer);
  return isObject && (member === undefined || member in answer);
}

/** How many records one call asks for. */
const LIMIT = 1_000;

/**
 * All records of a list that the server gives page by page: `path` has no `limit` and no `cursor`, and
 * `member` of each answer holds the records.
 */
export async function listAll<Item>(access: ServerAccess, path: string, member: string): Promise<Item[]> {
  const all: Item[] = [];
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({ limit: String(LIMIT), ...(cursor === undefined ? {} : { cursor }) });
    const page = `${path}${path.includes("?") ? "&" : "?"}${query.toString()}`;
    const answer: Answered<Item> = await callServer(access, page, `{"${member}":`);
    const items = answer[member];
    if (Array.isArray(items)) all.push(...items);
    cursor = answer.nextCursor;
  } while (cursor !== undefined);
  return all;
}

interface Answered<Item> {
  readonly [member: string]: readonly Item[] | string | undefined;
  readonly nextCursor?: string;
}

/** The id or name of an endpoint, as a path has it; the server knows which it is. Throws CommandFault. */
export function endpointInPath(text: string): string {
  // A URL resolves these.
  if (text === "." || text === "..") throw new CommandFault(`there is no endpoint ${text}.`);
  return encodeURIComponent(text);
}

/** A running server and the key with which it is called. */
export interface ServerAccess {
  readonly server: string;
  readonly key: string;
}

const DEFAULT_SERVER = "http://127.0.0.1:8000";

/** The server that the flags or the environment name. Throws CommandFault when there is no key for it. */
export function serverAccess(flags: { server?: string | undefined; key?: string | undefined }): ServerAccess {
  const server = flags.server ?? process.env["FOREBAY_URL"] ?? DEFAULT_SERVER;
  const key = flags.key ?? process.env["FOREBAY_KEY"] ?? "";
  if (key === "") throw new CommandFault("say your API key: --key <key>, or set FOREBAY_KEY.");
  return { server: server.replace(/\/+$/, ""), key };
}

/**
 * The server as its client. A call that it does not take now (429, 503) is made again for 15 s, with growing
 * pauses that a terminal is told of; where nobody answers it fails at once: a person can say it again. What
 * waits for a job is more patient (wait-for-end.ts). Throws CommandFault when the address is none.
 */
export function connect({ server: url, key }: ServerAccess): Forebay {
  try {
    return new Forebay({ url, key, patienceAway: 0, onRepeat });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CommandFault(`${error.message} Say another one: --server <address>, or FOREBAY_URL.`);
  }
}

function onRepeat({ message }: ForebayError, wait: number): void {
  if (process.stderr.isTTY) tell(`${message} Trying again in ${durationText(wait)}.`);
}
