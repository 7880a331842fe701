import type { TakenJob } from "../domain/job.ts";
import type { Payload } from "../domain/payload.ts";
import type { Engine } from "./engine.ts";
import { purposeOf } from "./purpose-of.ts";

/** Seals a job's `s3Config` for the store. */
export async function sealJobSecret(
  engine: Engine,
  endpoint: string,
  id: string,
  secret: Uint8Array | undefined,
): Promise<Payload | undefined> {
  if (secret === undefined) return undefined;
  return engine.store.writePayload(engine.secrets.seal(secret, purposeOf("s3Config", endpoint, id)));
}

/** The `s3Config` of a job as it was sent, for its worker alone. */
export async function openJobSecret(
  engine: Engine,
  endpoint: string,
  job: Pick<TakenJob, "id" | "secret">,
): Promise<Uint8Array | undefined> {
  if (job.secret === undefined) return undefined;
  return engine.secrets.open(
    await engine.store.readPayload(job.secret),
    purposeOf("s3Config", endpoint, job.id),
  );
}
