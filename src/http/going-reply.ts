import { onAbort } from "../domain/on-abort.ts";
import type { Call } from "./call.ts";
import type { Part, Reply } from "./reply.ts";

/**
 * 200 with a body that goes on after the handler has returned, each part sent when the one before has left:
 * the reader's pace is that of `parts`. The call is answered when they end, or when its caller has gone. A
 * reader that takes nothing for `silence` s is disconnected; 0: never, because the server itself may pause.
 */
export function goingReply(
  call: Call,
  headers: Readonly<Record<string, string>>,
  parts: () => AsyncIterable<Part>,
  silence = 0,
): Reply {
  const { promise: answered, resolve: end } = Promise.withResolvers<void>();
  call.answered = answered;
  // The runtime begins no body whose caller has gone, and none in answer to HEAD.
  if (call.request.method === "HEAD") end();
  else onAbort(call.request.signal, end);

  async function* body(): AsyncGenerator<Part> {
    // Not before: the runtime forgets it when a body of the request ends.
    call.allowSilence(silence);
    try {
      yield* parts();
    } finally {
      end();
    }
  }
  return { status: 200, headers, body: body() };
}
