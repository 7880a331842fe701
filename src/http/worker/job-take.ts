import type { WorkerIdentity } from "../../domain/worker.ts";
import { openCall } from "../../engine/open-calls.ts";
import { BARE_CALL, type Sighting } from "../../engine/seen.ts";
import { take } from "../../engine/take.ts";
import { AnswerRoom } from "../answer-room.ts";
import type { Call } from "../call.ts";
import { callingWorker, type HttpContext } from "../context.ts";
import { elementParts, takenJobs } from "../present/taken-job.ts";
import { parseQuery } from "../query.ts";
import { noContent, type Part, type Reply } from "../reply.ts";
import type { Route } from "../route.ts";

/** The next job for a worker with one free place (wire-facts 1.3); 204 when none came within the hold. */
export function jobTakeRoute(context: HttpContext): Route {
  return {
    methods: ["GET"],
    path: "/v2/{endpoint}/job-take/{worker}",
    handle: (call) => taken(context, call, callingWorker(context, call), 1, ([parts = []]) => parts),
  };
}

export const MAX_BATCH = 1_000;

/** The next jobs for a worker with several free places: what is there at once, at most `batch_size`. */
export function jobTakeBatchRoute(context: HttpContext): Route {
  return {
    methods: ["GET"],
    path: "/v2/{endpoint}/job-take-batch/{worker}",
    handle(call) {
      const worker = callingWorker(context, call);
      const count = parseQuery(call.query).integer("batch_size", 1, MAX_BATCH) ?? 1;
      return taken(context, call, worker, count, (jobs) => ["[", ...elementParts(jobs), "]"]);
    },
  };
}

/**
 * The reply with up to `count` jobs, or 204. They go back if the worker hangs up before the reply ends. While
 * the call waits this is all there is of it, and what the verb has: thousands wait.
 */
async function taken(
  { engine, answers }: HttpContext,
  call: Call,
  worker: WorkerIdentity,
  count: number,
  partsOf: (jobs: readonly (readonly Part[])[]) => readonly Part[],
): Promise<Reply> {
  const { signal } = call.request;
  using open = openCall(engine, worker, signal);
  const { takeHold: hold } = engine.durations;
  const jobs = await take(engine, { worker, count, sighting: sightingIn(call.query), hold, signal });
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

function sightingOf(kind: "all" | "none"): Sighting {
  return { shown: { kind }, crossing: 1, denials: 1, call: "other" };
}

/** The worker says whether it has any job: with 1 it has what it was given, with 0 it has none. */
function sightingIn(query: string): Sighting {
  const inProgress = parseQuery(query).text("job_in_progress");
  return inProgress === "1" || inProgress === "0" ? SIGHTINGS[inProgress] : BARE_CALL;
}
