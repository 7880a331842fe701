import { ForebayError } from "../domain/errors.ts";
import { freeBytes } from "../engine/secret-box.ts";
import { next, piecesOf } from "./body-pieces.ts";
import type { Call } from "./call.ts";

/**
 * How much of a refused body is read so that its sender, which reads no answer before it has sent all, gets
 * the answer: bytes, and ms.
 */
const DISCARDED_BYTES = 64 * 1_048_576;
const DISCARDED_TIME = 30_000;

/** How long its sender may pause, ms: on a busy machine it may get no time for a second. */
const DISCARDED_SILENCE = 2_000;

/** Reads the rest of a refused body and drops it, up to these bounds. It never rejects. */
export async function discardRest(call: Call): Promise<void> {
  // Its sender waits for a word from us.
  if (call.request.headers.has("expect")) return;
  const { promise: stopped, resolve: stop } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => stop(undefined), DISCARDED_TIME);
  const pieces = piecesOf(call);
  try {
    for (let left = DISCARDED_BYTES; left > 0;) {
      const silence = setTimeout(() => stop(undefined), DISCARDED_SILENCE);
      const piece = await Promise.race([next(pieces), stopped]);
      clearTimeout(silence);
      if (piece === undefined) return;
      left -= piece.length;
      freeBytes(piece);
    }
  } catch (error) {
    // The sender has gone.
    if (!(error instanceof ForebayError)) throw error;
  } finally {
    clearTimeout(timer);
  }
}
