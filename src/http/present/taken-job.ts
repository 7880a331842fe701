import type { TakenJob } from "../../domain/job.ts";
import { carryJobs } from "../../engine/carry-jobs.ts";
import type { Engine } from "../../engine/engine.ts";
import { openJobSecret } from "../../engine/job-secret.ts";
import { openWebhook } from "../../engine/webhooks/job-webhook.ts";
import type { HeldTake } from "../../engine/take-within-hold.ts";
import type { AnswerRoom } from "../answer-room.ts";
import type { Part } from "../reply.ts";
import { payloadPart } from "./payload-part.ts";

/** The jobs that a response carries, each as its worker gets it; the others go back, or have failed. */
export function takenJobs(
  engine: Engine,
  room: AnswerRoom,
  call: Pick<HeldTake, "worker" | "signal">,
  jobs: readonly TakenJob[],
): Promise<readonly (readonly Part[])[]> {
  return carryJobs(engine, call, jobs, (job) => takenJobParts(engine, room, call.worker.endpoint, job));
}

/** Each list of parts as an element of a JSON array, without its brackets. */
export function elementParts(lists: readonly (readonly Part[])[]): Part[] {
  const parts: Part[] = [];
  for (const [index, list] of lists.entries()) {
    if (index > 0) parts.push(",");
    parts.push(...list);
  }
  return parts;
}

/**
 * A job as its worker gets it: the id, `s3Config` and `webhook` if it has them, and the other members of its
 * submission as they came. Throws OVERLOADED when there is no room for its input.
 */
export async function takenJobParts(
  engine: Engine,
  room: AnswerRoom,
  endpoint: string,
  job: TakenJob,
): Promise<Part[]> {
  // Where one job has room, the next one does not wait for it: it goes to another worker.
  const entering = room.isUsed ? room.add(job.body, 0) : room.add(job.body);
  if (entering !== undefined) await entering;
  const parts: Part[] = [`{"id":"${job.id}",`];
  const secret = job.secret === undefined ? undefined : await openJobSecret(engine, endpoint, job);
  if (secret !== undefined) parts.push('"s3Config":', secret, ",");
  if (job.webhook !== undefined) {
    parts.push('"webhook":', openWebhook(engine, endpoint, job.id, job.webhook).address, ",");
  }
  const reading = payloadPart(engine, job.body);
  const body = reading instanceof Promise ? await reading : reading;
  // Every body has the member `input`, so there is something behind its opening brace.
  parts.push(typeof body === "string" ? body.slice(1) : body.subarray(1));
  return parts;
}
