import { onAbort } from "../domain/on-abort.ts";
import type { Call } from "./call.ts";
import type { Part, Reply } from "./reply.ts";

/** Limits on silence that the runtime can keep, s. It checks every 4 s, and needs at least two checks. */
export const SHORTEST_SILENCE = 8;
export const LONGEST_SILENCE = 255;

/**
 * 200 with a body that goes on after the handler has returned. Each part is sent when the one before has
 * left, so the reader sets the pace. The call is answered when the parts end or the caller disconnects. A
 * reader that takes nothing for `silence` s is disconnected; 0: never, because the server itself can pause.
 */
export function goingReply(
  call: Call,
  headers: Readonly<Record<string, string>>,
  parts: () => AsyncIterable<Part>,
  silence = 0,
): Reply {
  const { promise: answered, resolve: end } = Promise.withResolvers<void>();
  call.answered = answered;
  // The runtime starts no body after the caller has disconnected, and none in answer to HEAD.
  if (call.request.method === "HEAD") end();
  else onAbort(call.request.signal, end);

  async function* body(): AsyncGenerator<Part> {
    // Not earlier: the runtime resets it when the body of the request ends.
    call.allowSilence(silence);
    try {
      yield* parts();
    } finally {
      end();
    }
  }
  return { status: 200, headers, body: body() };
}
