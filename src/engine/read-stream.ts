import { isTerminal } from "../domain/transitions.ts";
import type { DrainAnswer } from "../store/steps.ts";
import type { JobRecord } from "../domain/job.ts";
import type { Payload } from "../domain/payload.ts";
import { onAbort, throwRevoked } from "../domain/on-abort.ts";
import type { StoreAccess, WithWaits } from "./verb-needs.ts";
import { found } from "./status.ts";
import { chunkKey } from "./wait-keys.ts";

export interface StreamRead {
  readonly job: JobRecord;
  readonly chunks: readonly Payload[];
  /** Number of the chunk behind the last one read. */
  readonly next: number;
  /** The job has ended and nothing is left to read. */
  readonly isLast: boolean;
}

export interface StreamCall {
  readonly endpoint: string;
  readonly id: string;
  /** Read from this chunk on without consuming; undefined: read the next ones, and consume them. */
  readonly from: number | undefined;
  /** How long to wait for a chunk, ms. */
  readonly hold: number;
  readonly signal: AbortSignal;
}

/** Chunks and bytes of one answer: more comes with the next read. */
const CHUNK_LIMIT = 1_000;
const BYTE_LIMIT = 8 * 1_048_576;

/**
 * The next chunks of a job, as soon as there are some, or none when the hold or the job is over (design, row
 * 2). Throws the reason of a `signal` that ends with an error of the caller.
 */
export async function readStream(engine: StoreAccess & WithWaits, call: StreamCall): Promise<StreamRead> {
  const { endpoint, id, hold, signal } = call;
  const until = engine.clock.now() + hold;
  const waiting = engine.waits.open(chunkKey(endpoint, id));
  onAbort(signal, waiting.close);
  try {
    for (let isOver = false; ;) {
      const { job, chunks, next, remaining } = await drain(engine, call, BYTE_LIMIT);
      const isLast = isTerminal(job.state) && remaining === 0;
      const read = { job, chunks, next, isLast };
      if (chunks.length > 0 || isLast || isOver) return read;
      // Nobody signals a hand-out: the state that is answered at `until` is read then.
      isOver = !(await waiting.next(until));
      throwRevoked(signal);
      // What is read now would be lost.
      if (signal.aborted) return read;
    }
  } finally {
    waiting.close();
  }
}

/** The chunks of a read could not be answered: the next one gets them. */
export async function unread(
  engine: StoreAccess,
  { endpoint, id }: Pick<StreamCall, "endpoint" | "id">,
  { next, chunks }: Pick<StreamRead, "next" | "chunks">,
): Promise<void> {
  const unreadFrom = next - chunks.length;
  const step = { step: "drain", endpoint, id, from: 0, chunkLimit: 0, byteLimit: 0, unreadFrom } as const;
  await engine.store.apply([step], engine.clock.now());
}

/** The next chunks, up to `byteLimit` and the one that goes over it. Throws JOB_NOT_FOUND. */
export async function drain(
  engine: StoreAccess,
  { endpoint, id, from }: Pick<StreamCall, "endpoint" | "id" | "from">,
  byteLimit: number,
): Promise<DrainAnswer> {
  const [answer] = await engine.store.apply(
    [{ step: "drain", endpoint, id, from, chunkLimit: CHUNK_LIMIT, byteLimit }],
    engine.clock.now(),
  );
  return found(answer, id);
}
