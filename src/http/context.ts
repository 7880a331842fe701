import { type WorkerIdentity, workerOf } from "../domain/worker.ts";
import type { Engine } from "../engine/engine.ts";
import type { Auth } from "./auth.ts";
import type { Call } from "./call.ts";
import type { RateLimiter } from "./limits/rate-limiter.ts";

/** What every route works with. */
export interface HttpContext {
  readonly engine: Engine;
  readonly auth: Auth;
  readonly rateLimiter: RateLimiter;
  /** The address under which clients and workers reach the server, without a path. */
  readonly publicUrl: () => string;
}

/** The worker of a worker's call: endpoint and worker id are the first two parameters of the path. */
export function callingWorker({ auth }: HttpContext, call: Call): WorkerIdentity {
  const [endpoint = "", id = ""] = call.parameters;
  return workerOf(auth.worker(call.request, endpoint), id);
}
