import type { Socket } from "node:net";
import type { Clock } from "../domain/clock.ts";
import { errorCode } from "../domain/errors.ts";
import { answerHeadReader } from "./answer-head.ts";
import { onAbort } from "../domain/on-abort.ts";
import { ReceiverFault } from "./receiver.ts";

/** How much of an answer's body is read, so that its sender can finish. The body is not used. Bytes. */
const BODY_LIMIT = 64 * 1024;
/** How long the body is read, ms. */
const BODY_TIME = 500;

const NO_ANSWER = "The receiver closed the connection without an answer.";

/**
 * Sends a request over a connection, waits for the answer, and closes the connection. The answer counts as
 * soon as its head is complete, even if its body breaks off. Throws ReceiverFault, or the reason of the
 * signal.
 */
export async function exchange(
  socket: Socket,
  request: { readonly head: string; readonly body: Uint8Array },
  clock: Clock,
  signal: AbortSignal,
): Promise<number> {
  let forget = (): void => undefined;
  try {
    return await new Promise<number>((resolve, reject) => {
      const reader = answerHeadReader();
      let status: number | undefined;
      let bodyLeft = 0;
      const end = (fault: unknown): void => (status === undefined ? reject(fault) : resolve(status));
      const read = (bytes: Buffer): void => {
        if (status === undefined) {
          const head = reader.read(bytes);
          if (head === undefined) return;
          status = head.status;
          bodyLeft = Math.min(BODY_LIMIT, head.bodyLength ?? BODY_LIMIT) - head.bodyRead;
          forget = clock.after(BODY_TIME, () => end(undefined));
        } else {
          bodyLeft -= bytes.length;
        }
        if (bodyLeft <= 0) end(undefined);
      };
      onAbort(signal, () => end(signal.reason));
      socket.on("error", (error) => end(new ReceiverFault(broken(error))));
      socket.on("end", () => end(new ReceiverFault(NO_ANSWER)));
      socket.on("close", () => end(new ReceiverFault(NO_ANSWER)));
      socket.on("data", (bytes: Buffer) => {
        try {
          read(bytes);
        } catch (error) {
          end(error);
        }
      });
      if (signal.aborted) return end(signal.reason);
      if (socket.destroyed) return end(new ReceiverFault(NO_ANSWER));
      socket.write(request.head, "latin1");
      socket.write(request.body);
    });
  } finally {
    forget();
    socket.destroy();
  }
}

function broken(error: Error): string {
  return `The connection to the receiver broke before it answered (${errorCode(error)}).`;
}
