import { Forebay, type ForebayError, type OtherCall } from "@forebay/worker/client";
import type { HostsAnswer } from "../http/answers/host.ts";
import type { AccountsAnswer, KeysAnswer } from "../http/answers/key.ts";
import type { ReleasesAnswer } from "../http/answers/release.ts";
import type { Warning } from "../http/answers/members.ts";
import type { WorkersAnswer } from "../http/answers/worker.ts";
import { CommandFault } from "./command-fault.ts";
import { durationText } from "./terminal/duration-text.ts";
import { printMessage } from "./terminal/terminal-text.ts";

/**
 * Calls the server, by default with POST if there is a body and GET otherwise. The answer must be JSON that
 * begins with `opening`: `[`, or `{` and perhaps a member. Throws ForebayError, or CommandFault if something
 * else answers.
 */
export async function callServer<Answer = unknown>(
  access: ServerAccess,
  path: string,
  opening: string,
  body?: object,
  method: OtherCall["method"] = body === undefined ? "GET" : "POST",
): Promise<Answer> {
  const answer = await connect(access).call({ path, method, body });
  if (!isOpenedBy(answer, opening)) {
    throw new CommandFault(`${access.server} is not a Forebay server: it answered something else.`);
  }
  // The server's answers have the members that docs/api.md promises.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const known = answer as Answer & { readonly warnings?: readonly Warning[] };
  for (const { field, message } of known.warnings ?? []) printMessage(`${field}: ${message}`);
  return known;
}

/**
 * Sends a body and returns the answer as texts, so that long numbers stay exact. `hold` is how long the
 * server may hold the call, ms.
 */
export async function serverText(
  access: ServerAccess,
  path: string,
  { body, hold }: Pick<OtherCall, "hold"> & { readonly body?: string } = {},
): Promise<string> {
  const method = body === undefined ? "GET" : "POST";
  return (await connect(access).open({ path, method, body, hold })).text();
}

/** A call whose answer has no content. Throws as `callServer` does. */
export async function callWithoutAnswer(
  access: ServerAccess,
  path: string,
  method: "POST" | "DELETE",
): Promise<void> {
  await connect(access).call({ path, method });
}

/** A streamed answer, which the signal of the call ends. Throws as `callServer` does. */
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

/** How many records one call returns. */
const LIMIT = 1_000;

/**
 * All records of a paged list. `path` has no `limit` and no `cursor`; `member` of each answer holds the
 * records.
 */
export async function listAll<Member extends keyof Lists>(
  access: ServerAccess,
  path: string,
  member: Member,
): Promise<Lists[Member][]> {
  const all: Lists[Member][] = [];
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({ limit: String(LIMIT), ...(cursor === undefined ? {} : { cursor }) });
    const page = `${path}${path.includes("?") ? "&" : "?"}${query.toString()}`;
    const answer: Page<Lists[Member]> = await callServer(access, page, `{"${member}":`);
    const items = answer[member];
    if (Array.isArray(items)) all.push(...items);
    cursor = answer.nextCursor;
  } while (cursor !== undefined);
  return all;
}

/** A record of each paged list, by the member that holds the records. */
interface Lists {
  readonly accounts: AccountsAnswer["accounts"][number];
  readonly hosts: HostsAnswer["hosts"][number];
  readonly keys: KeysAnswer["keys"][number];
  readonly releases: ReleasesAnswer["releases"][number];
  readonly workers: WorkersAnswer["workers"][number];
}

interface Page<Item> {
  readonly [member: string]: readonly Item[] | string | undefined;
  readonly nextCursor?: string;
}

/** The id or name of an endpoint, encoded for a path. Throws CommandFault. */
export function endpointInPath(text: string): string {
  // A URL parser would resolve these.
  if (text === "." || text === "..") throw new CommandFault(`there is no endpoint ${text}.`);
  return encodeURIComponent(text);
}

/** A running server, and the API key for it. */
export interface ServerAccess {
  readonly server: string;
  readonly key: string;
}

const DEFAULT_SERVER = "http://127.0.0.1:8000";

/** The server of the flags or the environment. Throws CommandFault without an API key. */
export function serverAccess(flags: { server?: string | undefined; key?: string | undefined }): ServerAccess {
  const server = flags.server ?? process.env["FOREBAY_URL"] ?? DEFAULT_SERVER;
  const key = flags.key ?? process.env["FOREBAY_KEY"] ?? "";
  if (key === "") throw new CommandFault("enter your API key: --key <key>, or set FOREBAY_KEY.");
  return { server: server.replace(/\/+$/, ""), key };
}

/**
 * A client of the server. If the server is busy (429, 503), calls are retried for 15 s with growing pauses,
 * which a terminal shows. If nobody answers, a call fails at once: the user can repeat it. Commands that wait
 * for a job retry for longer (wait-for-end.ts). Throws CommandFault for an invalid address.
 */
export function connect({ server: url, key }: ServerAccess): Forebay {
  try {
    return new Forebay({ url, key, patienceAway: 0, onRepeat });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CommandFault(`${error.message} Use another address: --server <address>, or FOREBAY_URL.`);
  }
}

function onRepeat({ message }: ForebayError, wait: number): void {
  if (process.stderr.isTTY) printMessage(`${message} Trying again in ${durationText(wait)}.`);
}
