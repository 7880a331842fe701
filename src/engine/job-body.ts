import type { Payload } from "../domain/payload.ts";
import type { Engine } from "./engine.ts";
import { found } from "./status.ts";

/**
 * JSON object: what the worker of a job gets of its submission, `s3Config` and `id` left out. Throws
 * JOB_NOT_FOUND.
 */
export async function jobBody(engine: Engine, endpoint: string, id: string): Promise<Payload> {
  return found(await engine.store.body(endpoint, id), id);
}
