import type { TakenJob } from "../../domain/job.ts";
import { isStored } from "../../domain/payload.ts";
import { carryJobs } from "../../engine/carry-jobs.ts";
import type { Engine } from "../../engine/engine.ts";
import { openJobSecret } from "../../engine/job-secret.ts";
import { openWebhook } from "../../engine/webhooks/job-webhook.ts";
import type { HeldTake } from "../../engine/take.ts";
import type { AnswerRoom } from "../answer-room.ts";
import type { Part } from "../reply.ts";
import { payloadBytes } from "./payload-part.ts";

/** The jobs of a response, each in the form for its worker. The others were given back or have failed. */
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
 * A job in the form for its worker: the id, `s3Config` and `webhook` if it has them, and the other members of
 * its submission as they were sent. Throws OVERLOADED if there is no room for its input.
 */
export function takenJobParts(
  engine: Engine,
  room: AnswerRoom,
  endpoint: string,
  job: TakenJob,
): Part[] | Promise<Part[]> {
  // If one job has room, the next does not wait for room: another worker gets it.
  const entering = room.isUsed ? room.add(job.body, 0) : room.add(job.body);
  const { body, secret } = job;
  return entering === undefined && secret === undefined && !isStored(body)
    ? partsOf(engine, endpoint, job, undefined, body)
    : readParts(engine, endpoint, job, entering);
}

async function readParts(
  engine: Engine,
  endpoint: string,
  job: TakenJob,
  entering: Promise<void> | undefined,
): Promise<Part[]> {
  await entering;
  const secret = await openJobSecret(engine, endpoint, job);
  return partsOf(engine, endpoint, job, secret, await payloadBytes(engine, job.body));
}

function partsOf(
  engine: Engine,
  endpoint: string,
  { id, webhook }: TakenJob,
  secret: Part | undefined,
  body: Uint8Array,
): Part[] {
  const parts: Part[] = [`{"id":"${id}",`];
  if (secret !== undefined) parts.push('"s3Config":', secret, ",");
  if (webhook !== undefined) {
    parts.push('"webhook":', openWebhook(engine, endpoint, id, webhook).address, ",");
  }
  // Every body has the member `input`, so there is a member after its opening brace.
  parts.push(body.subarray(1));
  return parts;
}
