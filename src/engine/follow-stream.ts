import { onAbort, throwRevoked } from "../domain/on-abort.ts";
import { isTerminal } from "../domain/transitions.ts";
import type { DrainAnswer } from "../store/steps.ts";
import type { AddedChunks } from "../store/signals.ts";
import type { StoreAccess, WithStop, WithWaits } from "./verb-needs.ts";
import { LiveEdge } from "./live-edge.ts";
import { drain, type StreamRead } from "./read-stream.ts";
import { chunkKey } from "./wait-keys.ts";
import type { Waiting } from "./waits.ts";

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
  /** After so many ms without news the reader learns that there is none. */
  readonly silence: number;
  readonly signal: AbortSignal;
  /**
   * Offered chunks as soon as they are durable, while the reader waits for them. If it answers false, they
   * come as the next element.
   */
  readonly onChunks?: (news: StreamNews) => boolean;
}

/** What a live reader gets: the next chunks, or that there are none for now. */
export interface StreamNews extends StreamRead {
  /** The chunks before are of an attempt that is over: the stream starts again with the first chunk. */
  readonly isAnew: boolean;
}

/** At most so many bytes wait for a reader, and the chunk that goes over it. */
const BYTE_LIMIT = 262_144;

/**
 * The chunks of a job as they are stored, until it has ended and the reader has all of them. Consumes
 * nothing. Chunks are read when the reader asks for more: one that is slow or gone costs only what waits for
 * it. Ends early when the caller has gone or the server stops. Throws JOB_NOT_FOUND, and the reason of a
 * `signal` that ends with an error of the caller.
 */
export async function* followStream(
  engine: StoreAccess & WithStop & WithWaits,
  call: FollowCall,
): AsyncGenerator<StreamNews> {
  const { endpoint, id, signal } = call;
  const reader = new StreamReader(engine, call);
  const waiting = engine.waits.open(chunkKey(endpoint, id), (added) => reader.note(added));
  const unlisten = onAbort(signal, waiting.close);
  try {
    for (let isQuiet = false; ;) {
      const news = await reader.read(isQuiet);
      if (news === undefined) continue;
      if (news.chunks.length > 0 || news.isLast || news.isAnew || isQuiet) {
        yield news;
        reader.told();
      }
      if (news.isLast) return;
      isQuiet = !(await reader.awaitNews(waiting));
      throwRevoked(signal);
      if (signal.aborted || engine.isStopping) return;
    }
  } finally {
    unlisten();
    waiting.close();
  }
}

/** Where a reader is. */
class StreamReader {
  readonly #engine: StoreAccess & WithStop;
  readonly #call: FollowCall;
  readonly #edge = new LiveEdge();
  #from: number;
  #attempt: number | undefined;
  #isAnew = false;
  /** What the store has answered last, or what came since. */
  #last: DrainAnswer | undefined;
  #toldAt: number;
  #isWaiting = false;

  constructor(engine: StoreAccess & WithStop, call: FollowCall) {
    this.#engine = engine;
    this.#call = call;
    this.#from = call.place.from;
    this.#attempt = call.place.attempt;
    this.#toldAt = engine.clock.now();
  }

  /** What is there for the reader by now. Undefined if it must start again with the first chunk. */
  async read(fromStore: boolean): Promise<StreamNews | undefined> {
    const answer = (fromStore ? undefined : this.#fromEdge()) ?? (await this.#fromStore());
    const { job, chunks, next, remaining } = answer;
    this.#last = answer;
    const isQueued = job.state === "IN_QUEUE";
    if (this.#attempt !== undefined && (isQueued || this.#attempt !== job.attempt)) {
      this.#isAnew ||= this.#from > 0;
      this.#from = 0;
      this.#attempt = undefined;
      return undefined;
    }
    // Which attempt is the next one is known when it has been handed out.
    if (!isQueued) this.#attempt = job.attempt;
    if (chunks.length > 0) this.#from = next;
    return { job, chunks, next, isLast: isTerminal(job.state) && remaining === 0, isAnew: this.#isAnew };
  }

  /** The reader has had what was read. */
  told(): void {
    this.#toldAt = this.#engine.clock.now();
    this.#isAnew = false;
  }

  /** Waits for more. False when the reader must learn that there is none, or when it has gone. */
  async awaitNews(waiting: Waiting): Promise<boolean> {
    if (this.#last?.remaining !== 0) return true;
    const { silence, signal } = this.#call;
    const { clock } = this.#engine;
    this.#isWaiting = true;
    let hasNews = false;
    do hasNews = await waiting.next(this.#toldAt + silence);
    while (!hasNews && !signal.aborted && !this.#engine.isStopping && clock.now() < this.#toldAt + silence);
    this.#isWaiting = false;
    return hasNews;
  }

  /** Something has happened to the job. True: the reader has had what was added, and waits for more. */
  note(added: AddedChunks | undefined): boolean {
    this.#edge.note(added);
    const { onChunks } = this.#call;
    if (!this.#isWaiting || onChunks === undefined) return false;
    const answer = this.#fromEdge();
    if (answer === undefined) return false;
    this.#isWaiting = onChunks({ ...answer, isLast: false, isAnew: false });
    if (this.#isWaiting) {
      this.#from = answer.next;
      this.#toldAt = this.#engine.clock.now();
    } else this.#edge.note(undefined);
    return this.#isWaiting;
  }

  /** What came since the last answer, if the reader had all before; the attempt runs on then. */
  #fromEdge(): DrainAnswer | undefined {
    if (this.#attempt === undefined || this.#last?.remaining !== 0) return undefined;
    const chunks = this.#edge.take(this.#attempt, this.#from);
    return chunks && { ...this.#last, chunks, next: this.#from + chunks.length };
  }

  #fromStore(): Promise<DrainAnswer> {
    this.#edge.reading();
    return drain(this.#engine, { ...this.#call, from: this.#from }, BYTE_LIMIT);
  }
}
