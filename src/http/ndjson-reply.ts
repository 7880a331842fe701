import type { Call } from "./call.ts";
import { goingReply } from "./going-reply.ts";
import type { Reply } from "./reply.ts";
import type { Revocable } from "./while-known.ts";

/**
 * 200 with lines of JSON, each as soon as it is there and the one before has left. It breaks off when the key
 * is good no longer; `held` is let go of at its end.
 */
export function ndjsonReply(
  call: Call,
  held: Revocable,
  lines: AsyncIterable<Uint8Array>,
  headers: Readonly<Record<string, string>>,
): Reply {
  async function* parts(): AsyncGenerator<Uint8Array> {
    // The runtime sends the head with the first bytes: who follows is told at once that it is heard.
    yield BLANK;
    yield* lines;
  }
  const reply = goingReply(call, { "content-type": "application/x-ndjson", ...headers }, parts);
  void call.answered?.then(() => held[Symbol.dispose]());
  return reply;
}

/** JSON may begin with it. */
const BLANK = Buffer.from(" ");
