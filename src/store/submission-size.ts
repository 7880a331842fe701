import { sizeOf } from "../domain/payload.ts";
import type { Enqueue } from "./enqueue-step.ts";

/** How many bytes a job waits with: what was submitted, with what of it is sealed. */
export function submissionSize({ body, secret, webhook }: Enqueue): number {
  return sizeOf(body) + (secret === undefined ? 0 : sizeOf(secret)) + (webhook?.sealed.length ?? 0);
}
