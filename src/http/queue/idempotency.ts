import { createHash } from "node:crypto";
import { ForebayError } from "../../domain/errors.ts";
import type { Submission } from "../../engine/submit.ts";
import type { Call } from "../call.ts";
import { nextTurn } from "../../engine/next-turn.ts";

/** 1 to 255 visible characters of ASCII. */
export const IDEMPOTENCY_KEY = /^[!-~]{1,255}$/;

/** The key that the client gave its submission; undefined without one. Throws INVALID_HEADER. */
export async function idempotencyOf({ request }: Call, body: Uint8Array): Promise<Submission["idempotency"]> {
  const key = request.headers.get("idempotency-key");
  if (key === null) return undefined;
  if (IDEMPOTENCY_KEY.test(key)) return { key, digest: await digestOf(body) };
  throw new ForebayError(
    "INVALID_HEADER",
    "Idempotency-Key is invalid; must be 1 to 255 visible ASCII characters, such as a UUID.",
  );
}

/** Digested in one go, a millisecond's work. */
const SLICE = 524_288;

/** SHA-256. */
async function digestOf(body: Uint8Array): Promise<Uint8Array> {
  const hash = createHash("sha256").update(body.subarray(0, SLICE));
  for (let start = SLICE; start < body.length; start += SLICE) {
    await nextTurn();
    hash.update(body.subarray(start, start + SLICE));
  }
  return hash.digest();
}
