import type { WorkerIdentity } from "../../domain/worker.ts";
import type { Engine } from "../../engine/engine.ts";
import { openCall } from "../../engine/open-calls.ts";
import type { Sighting } from "../../engine/seen.ts";
import { take } from "../../engine/take.ts";
import { AnswerRoom } from "../answer-room.ts";
import type { Call } from "../call.ts";
import { TAKEN_JOB, TAKEN_JOBS } from "../answers/worker-protocol.ts";
import { integer, plainText } from "../parameters.ts";
import { elementParts, takenJobs } from "../present/taken-job.ts";
import { noContent, type Part } from "../reply.ts";
import { workerOperation } from "../worker-operation.ts";

const IN_PROGRESS = plainText("1: the worker has what it was given; 0: it has no job.");

const NO_JOB = { description: "No job came in time." };

/** The next job for a worker with one free place (wire-facts 1.3); 204 when none came within the hold. */
export const takeJob = workerOperation({
  id: "takeJob",
  method: "GET",
  path: "/v2/{endpoint}/job-take/{worker}",
  summary: "Take the next job",
  description: "Held for up to 20 s while there is none.",
  query: { job_in_progress: IN_PROGRESS },
  answers: { 200: { description: "A job.", json: TAKEN_JOB }, 204: NO_JOB },
  async handle({ engine, answers }, call, { worker, query }) {
    const room = new AnswerRoom(call, answers.workers);
    const sighting = sightingOf(query().job_in_progress);
    const [parts] = await takeFor(engine, room, call, worker, 1, sighting);
    return parts === undefined ? noContent() : room.reply(parts);
  },
});

const MAX_BATCH = 1_000;

/** The next jobs for a worker with several free places: what is there at once, at most `batch_size`. */
export const takeJobs = workerOperation({
  id: "takeJobs",
  method: "GET",
  path: "/v2/{endpoint}/job-take-batch/{worker}",
  summary: "Take the next jobs",
  description: "Held for up to 20 s while there is none; a batch is not waited for.",
  query: {
    batch_size: integer(1, MAX_BATCH, "How many at most. Default: 1."),
    job_in_progress: IN_PROGRESS,
  },
  answers: { 200: { description: "Jobs.", json: TAKEN_JOBS }, 204: NO_JOB },
  async handle({ engine, answers }, call, { worker, query }) {
    const { batch_size: count = 1, job_in_progress: inProgress } = query();
    const room = new AnswerRoom(call, answers.workers);
    const jobs = await takeFor(engine, room, call, worker, count, sightingOf(inProgress));
    return jobs.length === 0 ? noContent() : room.reply(["[", ...elementParts(jobs), "]"]);
  },
});

/** Up to `count` jobs as the reply has them. They go back if the worker hangs up before the reply ends. */
async function takeFor(
  engine: Engine,
  room: AnswerRoom,
  { request: { signal } }: Call,
  worker: WorkerIdentity,
  count: number,
  sighting: Sighting,
): Promise<readonly (readonly Part[])[]> {
  using open = openCall(engine, worker, signal);
  const { takeHold: hold } = engine.durations;
  const jobs = await take(engine, { worker, count, sighting, hold, signal });
  open.brings(jobs);
  try {
    const carried = await takenJobs(engine, room, { worker, signal }, jobs);
    if (carried.length === 0) room.close();
    return carried;
  } catch (error) {
    room.close();
    throw error;
  }
}

/** The worker says whether it has any job: with 1 it has what it was given, with 0 it has none. */
function sightingOf(inProgress: string | undefined): Sighting {
  const kind = inProgress === "1" ? "all" : inProgress === "0" ? "none" : "nothing";
  return { shown: { kind }, crossing: 1, denials: 1, call: "other" };
}
