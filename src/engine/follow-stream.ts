import { onAbort, throwRevoked } from "../domain/on-abort.ts";
import { isTerminal } from "../domain/transitions.ts";
import type { DrainAnswer } from "../store/steps.ts";
import type { StoreAccess, WithStop, WithWaits } from "./verb-needs.ts";
import { LiveEdge } from "./live-edge.ts";
import { drain, type StreamRead } from "./read-stream.ts";
import { chunkKey } from "./wait-keys.ts";

/** Where a live reader begins. */
export interface StreamPlace {
  /** The number of the first chunk. */
  readonly from: number;
  /** The attempt that it numbers; undefined: that which runs, or the next one. */
  readonly attempt: number | undefined;
}

export interface FollowCall {
  readonly endpoint: string;
  readonly id: string;
  readonly place: StreamPlace;
  /** After so many ms without anything to tell the reader is told that. */
  readonly silence: number;
  readonly signal: AbortSignal;
}

/** What a live reader is told: the next chunks, or that there are none for now. */
export interface StreamNews extends StreamRead {
  /** The chunks before are of an attempt that is over: the job is put out anew, from its first chunk on. */
  readonly isAnew: boolean;
}

/** A reader has this much before it at most, beside the chunk that goes over it. Bytes. */
const BYTE_LIMIT = 262_144;

/**
 * The chunks of a job as they are stored, consuming nothing, until it has ended and all are told. They are
 * read when the reader asks for more: one that is slow, or gone, costs what it has before it. Ends without a
 * last one when the caller has gone or the server stops. Throws JOB_NOT_FOUND, and the reason of a `signal`
 * that ends with an error of the caller.
 */
export async function* followStream(
  engine: StoreAccess & WithStop & WithWaits,
  call: FollowCall,
): AsyncGenerator<StreamNews> {
  const { endpoint, id, silence, signal } = call;
  const { clock } = engine;
  let { from, attempt } = call.place;
  const edge = new LiveEdge();
  const waiting = engine.waits.open(chunkKey(endpoint, id), (added) => edge.note(added));
  const unlisten = onAbort(signal, waiting.close);
  let last: DrainAnswer | undefined;

  /** What came since the last answer, if the reader had all before; the attempt runs on then. */
  function fromEdge(): DrainAnswer | undefined {
    if (attempt === undefined || last?.remaining !== 0) return undefined;
    const chunks = edge.take(attempt, from);
    return chunks && { ...last, chunks, next: from + chunks.length };
  }

  function fromStore(): Promise<DrainAnswer> {
    edge.reading();
    return drain(engine, { endpoint, id, from }, BYTE_LIMIT);
  }

  try {
    let toldAt = clock.now();
    for (let isAnew = false, isQuiet = false; ;) {
      const answer: DrainAnswer = (isQuiet ? undefined : fromEdge()) ?? (await fromStore());
      const { job, chunks, next, remaining } = answer;
      last = answer;
      const isWaiting = job.state === "IN_QUEUE";
      if (attempt !== undefined && (isWaiting || attempt !== job.attempt)) {
        isAnew ||= from > 0;
        from = 0;
        attempt = undefined;
        continue;
      }
      // Which attempt is the next one is known when it has been handed out.
      if (!isWaiting) attempt = job.attempt;
      const isLast = isTerminal(job.state) && remaining === 0;
      if (chunks.length > 0) from = next;
      if (chunks.length > 0 || isLast || isAnew || isQuiet) {
        yield { job, chunks, next, isLast, isAnew };
        toldAt = clock.now();
        isAnew = false;
      }
      if (isLast) return;
      isQuiet = remaining === 0 && !(await waiting.next(toldAt + silence));
      throwRevoked(signal);
      if (signal.aborted || engine.isStopping) return;
    }
  } finally {
    unlisten();
    waiting.close();
  }
}
