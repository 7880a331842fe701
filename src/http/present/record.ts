import type { Engine } from "../../engine/engine.ts";
import type { ShownJob } from "../../domain/delivery.ts";
import type { Job, JobResult } from "../../domain/job.ts";
import type { Payload } from "../../domain/payload.ts";
import { isTerminal } from "../../domain/transitions.ts";
import type { Dialect } from "../call.ts";
import type { Part } from "../reply.ts";
import { errorPart, payloadPart, payloadPartOr } from "./payload-part.ts";

/**
 * A job record as JSON (spec 2.4; design, row 11). Unknown members are left out and never null, because some
 * clients decode plain integers and strings. Throws PAYLOAD_DAMAGED if its output is damaged.
 */
export async function recordParts(engine: Engine, job: ShownJob, dialect: Dialect): Promise<Part[]> {
  const parts: Part[] = [`{${membersOf(job, job.takenAt, job.endedAt)}`];
  const output = await outputOf(engine, job, dialect);
  if (output !== undefined) parts.push(',"output":', output);
  if (job.error !== undefined) parts.push(',"error":', await errorPart(engine, job.error));
  parts.push("}");
  return parts;
}

/** The payloads in a job's record, which need room. */
export function shownPayloads(job: ShownJob, dialect: Dialect): readonly (Payload | undefined)[] {
  return [showsProgress(job, dialect) ? job.progress : job.output, job.error];
}

/** The whole record, as /v2 answers it. */
export async function recordBytes(engine: Engine, job: ShownJob): Promise<Uint8Array> {
  const parts = await recordParts(engine, job, "spec");
  return Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)));
}

/** A job as JSON without payloads. Times of a job that has not ended count up to `now`. */
export function requestText(job: Job, now: number): string {
  const { takenAt } = job;
  if (isTerminal(job.state)) return `{${membersOf(job, takenAt, job.endedAt)}}`;
  return `{${membersOf(job, takenAt ?? now, takenAt === undefined ? undefined : now)}}`;
}

/** A job as it was before it ended. */
export function runningText(job: ShownJob): string {
  return `{${membersOf({ ...job, state: "IN_PROGRESS" }, job.takenAt, undefined)}}`;
}

/** The record without payloads, with these times of its hand-out and its end. */
function membersOf(
  job: Omit<ShownJob, keyof JobResult>,
  takenAt: number | undefined,
  endedAt: number | undefined,
): string {
  const { id, state, queuedAt, worker, losses } = job;
  let text = `"id":"${id}","status":"${state}"`;
  if (takenAt !== undefined) {
    // After a restart the time can be up to a second before the last stored one.
    text += `,"delayTime":${Math.max(0, takenAt - queuedAt)}`;
    if (endedAt !== undefined) text += `,"executionTime":${Math.max(0, endedAt - takenAt)}`;
    if (worker !== undefined) text += `,"workerId":"${worker}"`;
  }
  if (losses > 0) text += `,"retries":${losses}`;
  return text;
}

/** The public SDKs expect the last progress value in the place of the output. */
async function outputOf(engine: Engine, job: ShownJob, dialect: Dialect): Promise<Part | undefined> {
  if (!showsProgress(job, dialect)) return job.output && payloadPart(engine, job.output);
  return job.progress && payloadPartOr(engine, job.progress, undefined);
}

function showsProgress(job: ShownJob, dialect: Dialect): boolean {
  return dialect === "sdk" && job.state === "IN_PROGRESS";
}
