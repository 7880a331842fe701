import { createHash } from "node:crypto";
import { ForebayError } from "../../domain/errors.ts";
import type { Submission } from "../../engine/submit.ts";
import type { Call } from "../call.ts";

/** 1 to 255 visible characters of ASCII. */
const KEY = /^[!-~]{1,255}$/;

/** The key that the client gave its submission; undefined without one. Throws INVALID_HEADER. */
export function idempotencyOf({ request }: Call, body: Uint8Array): Submission["idempotency"] {
  const key = request.headers.get("idempotency-key");
  if (key === null) return undefined;
  if (KEY.test(key)) return { key, digest: createHash("sha256").update(body).digest() };
  throw new ForebayError(
    "INVALID_HEADER",
    "Idempotency-Key is invalid; must be 1 to 255 visible ASCII characters, such as a UUID.",
  );
}
