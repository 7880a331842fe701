import type { WorkerIdentity } from "../../domain/worker.ts";
import type { Engine } from "../../engine/engine.ts";
import { openCall } from "../../engine/open-calls.ts";
import type { Sighting } from "../../engine/seen.ts";
import { take } from "../../engine/take.ts";
import { AnswerRoom } from "../answer-room.ts";
import type { Call } from "../call.ts";
import { callingWorker, type HttpContext } from "../context.ts";
import { elementParts, takenJobs } from "../present/taken-job.ts";
import { parseQuery } from "../query.ts";
import { noContent, type Part } from "../reply.ts";
import type { Route } from "../route.ts";

/** The next job for a worker with one free place (wire-facts 1.3); 204 when none came within the hold. */
export function jobTakeRoute(context: HttpContext): Route {
  const { engine } = context;
  return {
    methods: ["GET"],
    path: "/v2/{endpoint}/job-take/{worker}",
    async handle(call) {
      const worker = callingWorker(context, call);
      const room = new AnswerRoom(call, context.answers.workers);
      const [parts] = await takeFor(engine, room, call, worker, 1);
      return parts === undefined ? noContent() : room.reply(parts);
    },
  };
}

export const MAX_BATCH = 1_000;

/** The next jobs for a worker with several free places: what is there at once, at most `batch_size`. */
export function jobTakeBatchRoute(context: HttpContext): Route {
  const { engine } = context;
  return {
    methods: ["GET"],
    path: "/v2/{endpoint}/job-take-batch/{worker}",
    async handle(call) {
      const worker = callingWorker(context, call);
      const count = parseQuery(call.query).integer("batch_size", 1, MAX_BATCH) ?? 1;
      const room = new AnswerRoom(call, context.answers.workers);
      const jobs = await takeFor(engine, room, call, worker, count);
      return jobs.length === 0 ? noContent() : room.reply(["[", ...elementParts(jobs), "]"]);
    },
  };
}

/** Up to `count` jobs as the reply has them. They go back if the worker hangs up before the reply ends. */
async function takeFor(
  engine: Engine,
  room: AnswerRoom,
  { request: { signal }, query }: Call,
  worker: WorkerIdentity,
  count: number,
): Promise<readonly (readonly Part[])[]> {
  using open = openCall(engine, worker, signal);
  const { takeHold: hold } = engine.durations;
  const jobs = await take(engine, { worker, count, sighting: sightingOf(query), hold, signal });
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
function sightingOf(query: string): Sighting {
  const inProgress = parseQuery(query).text("job_in_progress");
  const kind = inProgress === "1" ? "all" : inProgress === "0" ? "none" : "nothing";
  return { shown: { kind }, crossing: 1, denials: 1, call: "other" };
}
