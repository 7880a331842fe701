import { type Payload, sizeOfAll } from "../domain/payload.ts";
import type { AddedChunks } from "../store/signals.ts";

/** So much is held for one reader at most; beyond it the store is read. */
const HELD_CHUNKS = 1_000;
const HELD_BYTES = 65_536;

/**
 * The chunks that were stored since a reader last read from the store. A reader that keeps up gets them from
 * here, without a read for each. Only durable chunks come here. Whatever else happens to the job, and a gap
 * in the numbers, sends the reader back to the store.
 */
export class LiveEdge {
  #held: AddedChunks[] = [];
  #chunks = 0;
  #bytes = 0;
  #mustRead = true;

  /** The store is read now: what was held so far is in it. */
  reading(): void {
    this.#forget();
    this.#mustRead = false;
  }

  /** The job has changed; undefined: in a way that only the store can tell. */
  note(added: AddedChunks | undefined): void {
    if (this.#mustRead) return;
    if (added !== undefined) {
      this.#held.push(added);
      this.#chunks += added.chunks.length;
      this.#bytes += sizeOfAll(added.chunks);
      if (this.#chunks <= HELD_CHUNKS && this.#bytes <= HELD_BYTES) return;
    }
    this.#forget();
    this.#mustRead = true;
  }

  /** All chunks of the attempt from number `from` on; undefined where the store must be read. */
  take(attempt: number, from: number): readonly Payload[] | undefined {
    if (this.#mustRead) return undefined;
    const chunks: Payload[] = [];
    for (const added of this.#held) {
      const known = from + chunks.length - added.first;
      if (added.attempt !== attempt || known < 0) return undefined;
      chunks.push(...added.chunks.slice(known));
    }
    this.#forget();
    return chunks;
  }

  #forget(): void {
    this.#held = [];
    this.#chunks = 0;
    this.#bytes = 0;
  }
}
