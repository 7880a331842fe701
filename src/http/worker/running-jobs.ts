import type { WorkerIdentity } from "../../domain/worker.ts";
import { openCall } from "../../engine/open-calls.ts";
import { BARE_CALL, seen } from "../../engine/seen.ts";
import { isBusy, stops } from "../../engine/stops.ts";
import type { Call } from "../call.ts";
import type { HttpContext } from "../context.ts";
import { heldReply } from "../late-reply.ts";
import { ACCEPTED, STOPS } from "../answers/worker-protocol.ts";
import { plainText } from "../parameters.ts";
import { jsonReply, jsonValue, noContent, type Part } from "../reply.ts";
import { workerOperation } from "../worker-operation.ts";

/**
 * The heartbeat of a worker, with the ids of its jobs (wire-facts 1.6). A ping can lag one heartbeat behind.
 * So a ping without a job denies it only some heartbeats after the hand-out, and only together with the next
 * ping (race R11).
 */
export const ping = workerOperation({
  id: "ping",
  method: "GET",
  path: "/v2/{endpoint}/ping/{worker}",
  summary: "Show that the worker lives",
  query: { job_id: plainText("The ids of the jobs that it has, joined by commas.") },
  answers: { 200: { description: "It was seen.", json: ACCEPTED } },
  async handle({ engine }, _call, { worker, query }) {
    const ids = query().job_id?.split(",") ?? [];
    await seen(engine, worker, {
      shown: { kind: "these", ids },
      crossing: 2,
      denials: 2,
      call: "ping",
    });
    return jsonReply(["{}"]);
  },
});

/**
 * No job has this id. The public SDK ignores ids that it does not know. It calls again at once after an
 * answer with an id, but a second later after one without.
 */
const NO_JOB = "none";

/**
 * The jobs that the worker must stop (wire-facts 1.4); 204 if there was none within the hold. While the
 * worker has a job its call stays open, and no answer makes it pause: if its process ends, the connection
 * breaks.
 */
export const stopJobs = workerOperation({
  id: "stopJobs",
  method: "GET",
  path: "/v2/{endpoint}/job-stop/{worker}",
  summary: "Ask which jobs to stop",
  description: "Held for up to 3 s while there are none.",
  answers: {
    200: { description: "Jobs to stop.", json: STOPS },
    204: { description: "There is none." },
  },
  async handle(context, call, { worker }) {
    const { engine } = context;
    const { signal } = call.request;
    const { takeHold, stopHold } = engine.durations;
    const open = openCall(engine, worker, signal);
    let isHeld = false;
    try {
      await seen(engine, worker, BARE_CALL);
      const isIdle = !(await isBusy(engine, worker));
      const ids = await stops(engine, worker, isIdle ? takeHold : stopHold, signal);
      if (ids.length > 0) return jsonValue({ jobsToStop: ids });
      if (signal.aborted || !(await isBusy(engine, worker))) return noContent();
      isHeld = true;
    } finally {
      if (!isHeld) open[Symbol.dispose]();
    }
    return heldReply(context, call, {}, () => stopsOf(context, call, worker, open));
  },
});

/** Sends blanks before the document, so that no proxy takes the connection for dead. */
async function* stopsOf(
  { engine }: HttpContext,
  { request: { signal } }: Call,
  worker: WorkerIdentity,
  open: Disposable,
): AsyncGenerator<Part> {
  using _open = open;
  for (;;) {
    const ids = await stops(engine, worker, engine.durations.stopHold, signal);
    if (ids.length > 0 || signal.aborted || !(await isBusy(engine, worker))) {
      yield JSON.stringify({ jobsToStop: ids.length > 0 ? ids : [NO_JOB] });
      return;
    }
    yield " ";
  }
}
