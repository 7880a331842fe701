import type { TakenJob } from "../../domain/job.ts";
import type { Engine } from "../../engine/engine.ts";
import { openJobSecret } from "../../engine/job-secret.ts";
import { openWebhook } from "../../engine/webhooks/job-webhook.ts";
import type { Part } from "../reply.ts";
import { payloadPart } from "./payload-part.ts";

/**
 * A job as its worker gets it: the id, `s3Config` and `webhook` if it has them, and the other members of its
 * submission as they came.
 */
export async function takenJobParts(engine: Engine, endpoint: string, job: TakenJob): Promise<Part[]> {
  const parts: Part[] = [`{"id":"${job.id}",`];
  const secret = await openJobSecret(engine, endpoint, job);
  if (secret !== undefined) parts.push('"s3Config":', secret, ",");
  if (job.webhook !== undefined) {
    parts.push('"webhook":', openWebhook(engine, endpoint, job.id, job.webhook).address, ",");
  }
  const body = await payloadPart(engine, job.body);
  // Every body has the member `input`, so there is something behind its opening brace.
  parts.push(body.slice(1));
  return parts;
}
