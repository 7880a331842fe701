import type { Sighting } from "../../engine/seen.ts";
import { take } from "../../engine/take.ts";
import { callingWorker, type HttpContext } from "../context.ts";
import { elementParts, takenJobs } from "../present/taken-job.ts";
import { parseQuery } from "../query.ts";
import { jsonReply, noContent } from "../reply.ts";
import type { Route } from "../route.ts";

/** The next job for a worker with one free place (wire-facts 1.3); 204 when none came within the hold. */
export function jobTakeRoute(context: HttpContext): Route {
  const { engine } = context;
  return {
    methods: ["GET"],
    path: "/v2/{endpoint}/job-take/{worker}",
    async handle(call) {
      const worker = callingWorker(context, call);
      const { signal } = call.request;
      const sighting = sightingOf(call.query);
      const jobs = await take(engine, {
        worker,
        count: 1,
        sighting,
        hold: engine.durations.takeHold,
        signal,
      });
      const [parts] = await takenJobs(engine, { worker, signal }, jobs);
      return parts === undefined ? noContent() : jsonReply(parts);
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
      const { signal } = call.request;
      const sighting = sightingOf(call.query);
      const jobs = await take(engine, { worker, count, sighting, hold: engine.durations.takeHold, signal });
      const carried = await takenJobs(engine, { worker, signal }, jobs);
      if (carried.length === 0) return noContent();
      return jsonReply(["[", ...elementParts(carried), "]"]);
    },
  };
}

/** The worker says whether it has any job: with 1 it has what it was given, with 0 it has none. */
function sightingOf(query: string): Sighting {
  const inProgress = parseQuery(query).text("job_in_progress");
  const kind = inProgress === "1" ? "all" : inProgress === "0" ? "none" : "nothing";
  return { shown: { kind }, crossing: 1, denials: 1, isHeartbeat: false };
}
