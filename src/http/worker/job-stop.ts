import { stops } from "../../engine/stops.ts";
import { callingWorker, type HttpContext } from "../context.ts";
import { jsonValue, noContent } from "../reply.ts";
import type { Route } from "../route.ts";

/**
 * No job has this id. The public SDK ignores ids that it does not know, and asks again at once after an
 * answer with any, but a second later after one with none.
 */
const NO_JOB = "none";

/**
 * The jobs that the worker must stop (wire-facts 1.4); 204 when there was none within the hold. A worker that
 * lives by its open calls is to have one open at all times, so it is given no reason to pause.
 */
export function jobStopRoute(context: HttpContext): Route {
  const { engine } = context;
  return {
    methods: ["GET"],
    path: "/v2/{endpoint}/job-stop/{worker}",
    async handle(call) {
      const worker = callingWorker(context, call);
      const ids = await stops(engine, worker, engine.durations.stopHold, call.request.signal);
      if (ids.length > 0) return jsonValue({ jobsToStop: ids });
      return worker.anyCallProves && !engine.isStopping ? jsonValue({ jobsToStop: [NO_JOB] }) : noContent();
    },
  };
}
