import type { OtherCall } from "@forebay/worker/client";
import { CommandFault } from "./command-fault.ts";
import { connect } from "./connect.ts";
import type { ServerAccess } from "./server-access.ts";

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
