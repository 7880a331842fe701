import { KEPT_OUTPUT_BYTES } from "../domain/attempt.ts";
import type { Payload } from "../domain/payload.ts";
import { type Soon, whenHere } from "../domain/soon.ts";
import type { WorkerIdentity } from "../domain/worker.ts";
import type { Finish } from "../store/steps.ts";
import type { StoreAccess } from "./verb-needs.ts";
import { type JobTimeSource, retentionNow } from "./job-times.ts";
import { BARE_CALL, type Contacts, seen } from "./seen.ts";

export interface Report {
  readonly worker: WorkerIdentity;
  readonly job: string;
  /** Undefined in the public protocol: the attempt that the worker holds. */
  readonly attempt: number | undefined;
  /** JSON as the worker sent it; undefined when it sent none. */
  readonly output: Uint8Array | undefined;
  /** A JSON string; undefined for success. */
  readonly error: Uint8Array | undefined;
  /** It counts also when its attempt was given back meanwhile (decision 0033). */
  readonly mayBeLate?: boolean;
}

/**
 * A worker's result for a job. False when it changed nothing, because it is too late, a duplicate or not this
 * worker's to give (design, invariant 3).
 */
export async function report(engine: Contacts, result: Report): Promise<boolean> {
  const made = finishStep(engine, result);
  const step = made instanceof Promise ? await made : made;
  const finishing = engine.store.apply([step], engine.clock.now());
  const sighted = seen(engine, result.worker, BARE_CALL);
  const [[answer]] = sighted instanceof Promise ? await Promise.all([finishing, sighted]) : [await finishing];
  if (!answer.accepted) await discardPayloads(engine, step);
  return answer.accepted;
}

/** The step that ends the job by what its worker says; a large result is durable when it is there. */
export function finishStep(engine: StoreAccess & JobTimeSource, result: Report): Soon<Finish> {
  // What a failed handler returned with its error is only in the timeline (design, row 11).
  const bytes = result.error ?? result.output;
  if (bytes === undefined) return stepWith(engine, result, undefined);
  return whenHere(engine.store.writePayload(bytes), (payload) => stepWith(engine, result, payload));
}

function stepWith(engine: JobTimeSource, result: Report, payload: Payload | undefined): Finish {
  const { worker, job, attempt, output, error } = result;
  const isSuccess = error === undefined;
  return {
    step: "finish",
    event: isSuccess ? "complete" : "fail",
    endpoint: worker.endpoint,
    id: job,
    worker: worker.id,
    attempt,
    output: isSuccess ? payload : undefined,
    error: isSuccess ? undefined : payload,
    beside: isSuccess ? undefined : besideError(output),
    retention: retentionNow(engine, worker.endpoint, job),
    mayBeLate: isSuccess && result.mayBeLate,
  };
}

/** What says nothing: the public SDK sends an empty object with each error. */
const NOTHING = /^\s*(?:null|\{\s*\})\s*$/;

/** JSON as it was sent, as far as it is kept. */
function besideError(output: Uint8Array | undefined): string | undefined {
  if (output === undefined || output.length > KEPT_OUTPUT_BYTES) return undefined;
  const text = new TextDecoder().decode(output);
  return NOTHING.test(text) ? undefined : text;
}

export async function discardPayloads(engine: StoreAccess, { output, error }: Finish): Promise<void> {
  if (output !== undefined) await engine.store.discardPayload(output);
  if (error !== undefined) await engine.store.discardPayload(error);
}
