import { allHere } from "../domain/soon.ts";
import type { WorkerIdentity } from "../domain/worker.ts";
import type { Append } from "../store/steps.ts";
import { cutOffStep } from "./cut-off.ts";

import { BARE_CALL, type Contacts, seen } from "./seen.ts";

/** What keeping the chunks of jobs needs. */
export interface Appending extends Contacts {
  /** How many bytes the chunks of one attempt may have together. */
  readonly chunkLimit: number;
}

export interface Yield {
  readonly worker: WorkerIdentity;
  readonly job: string;
  /** Undefined in the public protocol: the attempt that the worker holds. */
  readonly attempt: number | undefined;
  /** JSON objects, in order. */
  readonly chunks: readonly Uint8Array[];
}

/**
 * Keeps what a job has put out so far, or ends it when that is more than one job may. False when it was not
 * kept: the job has just ended so, or the attempt is over or not this worker's.
 */
export async function append(engine: Appending, yielded: Yield): Promise<boolean> {
  const step = await appendStep(engine, yielded);
  const [[answer]] = await Promise.all([
    engine.store.apply([step], engine.clock.now()),
    seen(engine, yielded.worker, BARE_CALL),
  ]);
  if (!answer.accepted) for (const chunk of step.chunks) await engine.store.discardPayload(chunk);
  return answer.accepted;
}

export async function appendStep(engine: Appending, yielded: Yield): Promise<Append> {
  const { worker, job, attempt } = yielded;
  const chunks = await allHere(yielded.chunks.map((chunk) => engine.store.writePayload(chunk)));
  const limit = {
    bytes: engine.chunkLimit,
    otherwise: cutOffStep(engine, { ...yielded, reason: tooMuch(engine) }),
  };
  return { step: "append", endpoint: worker.endpoint, id: job, worker: worker.id, attempt, chunks, limit };
}

function tooMuch({ chunkLimit }: Appending): Uint8Array {
  const sentence = `the job has put out more than the ${chunkLimit} bytes that its chunks may have together`;
  return new TextEncoder().encode(JSON.stringify(sentence));
}
