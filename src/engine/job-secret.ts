import { PayloadDamaged } from "../domain/errors.ts";
import type { TakenJob } from "../domain/job.ts";
import type { Payload } from "../domain/payload.ts";
import type { Soon } from "../domain/soon.ts";
import { purposeOf, UnreadableSecret, type WithSecrets } from "./secret-box.ts";
import type { StoreAccess } from "./verb-needs.ts";

/** What keeping the secrets of jobs needs. */
export type SealedJobs = StoreAccess & WithSecrets;

/** Seals a job's `s3Config` for the store. */
export function sealJobSecret(
  engine: SealedJobs,
  endpoint: string,
  id: string,
  secret: Uint8Array,
): Soon<Payload> {
  return engine.store.writePayload(engine.secrets.seal(secret, purposeOf("s3Config", endpoint, id)));
}

/** The `s3Config` of a job as it was sent, for its worker alone. */
export async function openJobSecret(
  engine: SealedJobs,
  endpoint: string,
  job: Pick<TakenJob, "id" | "secret">,
): Promise<Uint8Array | undefined> {
  if (job.secret === undefined) return undefined;
  const sealed = await engine.store.readPayload(job.secret);
  return openOfJob(engine, sealed, "s3Config", endpoint, job.id);
}

/** Throws PAYLOAD_DAMAGED if no key of this server opens it: nobody can read it then. */
export function openOfJob(
  engine: WithSecrets,
  sealed: Uint8Array,
  member: "s3Config" | "webhook",
  endpoint: string,
  id: string,
): Uint8Array {
  try {
    return engine.secrets.open(sealed, purposeOf(member, endpoint, id));
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error;
    throw new PayloadDamaged(`the ${member} of job ${id} cannot be decrypted: ${error.message}`);
  }
}
