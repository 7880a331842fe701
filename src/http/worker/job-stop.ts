import type { WorkerIdentity } from "../../domain/worker.ts";
import { openCall } from "../../engine/open-calls.ts";
import { BARE_CALL, seen } from "../../engine/seen.ts";
import { isBusy, stops } from "../../engine/stops.ts";
import type { Call } from "../call.ts";
import type { HttpContext } from "../context.ts";
import { heldReply } from "../late-reply.ts";
import { STOPS } from "../answers/worker-protocol.ts";
import { jsonValue, noContent, type Part } from "../reply.ts";
import { workerOperation } from "../worker-operation.ts";

/**
 * No job has this id. The public SDK ignores ids that it does not know, and asks again at once after an
 * answer with any, but a second later after one with none.
 */
const NO_JOB = "none";

/**
 * The jobs that the worker must stop (wire-facts 1.4); 204 when there was none within the hold. The call of a
 * worker that has a job stays open as long as it has one, and it is given no reason to pause: if its process
 * ends, the call breaks.
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

/** Blanks go ahead of the document, so that nothing on the way takes the call for dead. */
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
