import type { Endpoint } from "../domain/endpoint.ts";
import { type WorkerIdentity, workerOf } from "../domain/worker.ts";
import type { Engine } from "../engine/engine.ts";
import { endpointOf } from "../engine/records/endpoints.ts";
import type { Auth } from "./auth.ts";
import type { Call } from "./call.ts";

/** What every route works with. */
export interface HttpContext {
  readonly engine: Engine;
  readonly auth: Auth;
  /** The address under which clients and workers reach the server, without a path. */
  readonly publicUrl: () => string;
}

/**
 * The endpoint of a client's call; its id is the first parameter of the path. Refuses whoever has no key to
 * it.
 */
export function clientEndpoint({ engine, auth }: HttpContext, call: Call): Endpoint {
  const account = auth.account(call.request);
  return endpointOf(engine, account, call.parameters[0] ?? "");
}

/** The endpoint and the job of a client's call, whose ids are the first two parameters of the path. */
export function clientJob(context: HttpContext, call: Call): { endpoint: Endpoint; id: string } {
  return { endpoint: clientEndpoint(context, call), id: call.parameters[1] ?? "" };
}

/** The worker of a worker's call: endpoint and worker id are the first two parameters of the path. */
export function callingWorker({ auth }: HttpContext, call: Call): WorkerIdentity {
  const [endpoint = "", id = ""] = call.parameters;
  return workerOf(auth.worker(call.request, endpoint), id);
}
