import type { Payload } from "../domain/payload.ts";
import { allHere, type Soon, whenHere } from "../domain/soon.ts";
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
 * Stores what a job has put out, or ends the job if that is more than one job may put out. False if it was
 * not stored: the job has just ended so, the attempt is over, or it belongs to another worker.
 */
export async function append(engine: Appending, yielded: Yield): Promise<boolean> {
  const made = appendStep(engine, yielded);
  const step = made instanceof Promise ? await made : made;
  const [[answer]] = await Promise.all([
    engine.store.apply([step], engine.clock.now()),
    seen(engine, yielded.worker, BARE_CALL),
  ]);
  if (!answer.accepted) for (const chunk of step.chunks) await engine.store.discardPayload(chunk);
  return answer.accepted;
}

/** The step that does so; large chunks are durable when it is there. */
export function appendStep(engine: Appending, yielded: Yield): Soon<Append> {
  const written = allHere(yielded.chunks.map((chunk) => engine.store.writePayload(chunk)));
  return whenHere(written, (chunks) => stepWith(engine, yielded, chunks));
}

function stepWith(engine: Appending, yielded: Yield, chunks: readonly Payload[]): Append {
  const { worker, job, attempt } = yielded;
  const limit = {
    bytes: engine.chunkLimit,
    otherwise: cutOffStep(engine, { worker, job, attempt, reason: tooMuch(engine) }),
  };
  return { step: "append", endpoint: worker.endpoint, id: job, worker: worker.id, attempt, chunks, limit };
}

/** By limit: the same for each chunk of a server. */
const REASONS = new Map<number, Uint8Array>();

function tooMuch({ chunkLimit }: Appending): Uint8Array {
  const known = REASONS.get(chunkLimit);
  if (known !== undefined) return known;
  const sentence = `the chunks of the job exceed the limit of ${chunkLimit} bytes`;
  const reason = new TextEncoder().encode(JSON.stringify(sentence));
  REASONS.set(chunkLimit, reason);
  return reason;
}

/**
 * The yields of each attempt as one, its chunks in their order: a stream of many small ones costs a step in
 * the store for each call, not for each chunk.
 */
export function gatherYields(yields: readonly Yield[]): readonly Yield[] {
  const chunksOf = new Map<string, Uint8Array[]>();
  const gathered: Yield[] = [];
  for (const yielded of yields) {
    const attempt = `${yielded.attempt} ${yielded.job}`;
    const earlier = chunksOf.get(attempt);
    if (earlier !== undefined) earlier.push(...yielded.chunks);
    else {
      const chunks = [...yielded.chunks];
      chunksOf.set(attempt, chunks);
      gathered.push({ ...yielded, chunks });
    }
  }
  return gathered;
}
