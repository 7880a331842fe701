import { onAbort } from "../domain/on-abort.ts";
import type { Call } from "./call.ts";
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
): Response {
  const { promise: answered, resolve } = Promise.withResolvers<void>();
  call.answered = answered;
  const end = (): void => {
    held[Symbol.dispose]();
    resolve();
  };
  // The runtime begins no body whose caller has gone.
  onAbort(call.request.signal, end);

  async function* body(): AsyncGenerator<Uint8Array> {
    call.allowSilence(0);
    try {
      // The runtime sends the head with the first bytes: who follows is told at once that it is heard.
      yield BLANK;
      yield* lines;
    } finally {
      end();
    }
  }
  return new Response(body(), { headers: { "content-type": "application/x-ndjson", ...headers } });
}

/** JSON may begin with it. */
const BLANK = Buffer.from(" ");
