import type { WorkerIdentity } from "../../domain/worker.ts";
import { openCall } from "../../engine/open-calls.ts";
import { BARE_CALL, type Sighting } from "../../engine/seen.ts";
import { take } from "../../engine/take.ts";
import { TAKEN_JOB, TAKEN_JOBS } from "../answers/worker-protocol.ts";
import { AnswerRoom } from "../answer-room.ts";
import type { Call } from "../call.ts";
import type { HttpContext } from "../context.ts";
import { integer, plainText } from "../parameters.ts";
import { elementParts, takenJobs } from "../present/taken-job.ts";
import { noContent, type Part, type Reply } from "../reply.ts";
import { workerOperation } from "../worker-operation.ts";

const IN_PROGRESS = plainText("1: the worker has what it was given; 0: it has no job.");

const NO_JOB = { description: "No job came in time." };

/** The next job for a worker with one free place (wire-facts 1.3); 204 if none came within the hold. */
export const takeJob = workerOperation({
  id: "takeJob",
  method: "GET",
  path: "/v2/{endpoint}/job-take/{worker}",
  summary: "Take the next job",
  description: "Held for up to 20 s while there is none.",
  query: { job_in_progress: IN_PROGRESS },
  answers: { 200: { description: "A job.", json: TAKEN_JOB }, 204: NO_JOB },
  handle(context, call, { worker, query }) {
    const asked = { worker, count: 1, sighting: sightingIn(query().job_in_progress) };
    return taken(context, call, asked, onlyJob);
  },
});

function onlyJob([parts = []]: readonly (readonly Part[])[]): readonly Part[] {
  return parts;
}

const MAX_BATCH = 1_000;

/** The next jobs for a worker with several free places: those that wait now, at most `batch_size`. */
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
  handle(context, call, { worker, query }) {
    const { batch_size: count = 1, job_in_progress: inProgress } = query();
    const asked = { worker, count, sighting: sightingIn(inProgress) };
    return taken(context, call, asked, listOfJobs);
  },
});

function listOfJobs(jobs: readonly (readonly Part[])[]): readonly Part[] {
  return ["[", ...elementParts(jobs), "]"];
}

interface Asked {
  readonly worker: WorkerIdentity;
  readonly count: number;
  readonly sighting: Sighting;
}

/**
 * The reply with up to `count` jobs, or 204. The jobs go back if the worker disconnects before the reply
 * ends. Thousands of calls wait, so a waiting call holds only this and the state of the verb.
 */
async function taken(
  { engine, answers }: HttpContext,
  call: Call,
  { worker, count, sighting }: Asked,
  partsOf: (jobs: readonly (readonly Part[])[]) => readonly Part[],
): Promise<Reply> {
  const { signal } = call.request;
  using open = openCall(engine, worker, signal);
  const { takeHold: hold } = engine.durations;
  const jobs = await take(engine, { worker, count, sighting, hold, signal });
  if (jobs.length === 0) return noContent();
  open.brings(jobs);
  const room = new AnswerRoom(call, answers.workers);
  try {
    const carried = await takenJobs(engine, room, { worker, signal }, jobs);
    if (carried.length > 0) return room.reply(partsOf(carried));
    room.close();
    return noContent();
  } catch (error) {
    room.close();
    throw error;
  }
}

const SIGHTINGS = { "1": sightingOf("all"), "0": sightingOf("none") };

/** What the worker says of its jobs: 1, it has those that it was given; 0, it has none. */
function sightingIn(inProgress: string | undefined): Sighting {
  return inProgress === "1" || inProgress === "0" ? SIGHTINGS[inProgress] : BARE_CALL;
}

function sightingOf(kind: "all" | "none"): Sighting {
  return { shown: { kind }, crossing: 1, denials: 1, call: "other" };
}
