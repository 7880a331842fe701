import { damagedPayload, type Payload, sizeOf } from "../../domain/payload.ts";
import { prepare } from "./sqlite-driver.ts";
import type { PayloadColumn } from "./sqlite-payloads.ts";
import type { Tables } from "./sqlite-tables.ts";

/** The chunks of jobs, each a row of its own. */
export interface Chunks {
  /** Adds them, the first one with the number `first`. */
  append(seq: number, first: number, chunks: readonly Payload[]): void;
  /** Those from `start` to before `end`: at most `limit`, and none more once they have `byteLimit` bytes. */
  read(seq: number, start: number, end: number, limit: number, byteLimit: number): Payload[];
  /** Removes at most `limit`, the oldest first; answers how many. */
  drop(seq: number, limit: number): number;
  dropAll(seq: number): void;
}

/** No chunk has a higher number. */
const ALL = Number.MAX_SAFE_INTEGER;

export function sqliteChunks({ database, payloads, newChunks }: Tables): Chunks {
  const select = prepare<{ content: PayloadColumn }, [seq: number, number: number]>(
    database,
    "SELECT content FROM chunk WHERE job = ?1 AND number = ?2",
  );
  const selectOutside = prepare<{ content: PayloadColumn }, [seq: number, upTo: number]>(
    database,
    "SELECT content FROM chunk WHERE job = ?1 AND number <= ?2 AND typeof(content) = 'integer'",
  );
  const remove = prepare<never, [seq: number, upTo: number]>(
    database,
    "DELETE FROM chunk WHERE job = ?1 AND number <= ?2",
  );
  const selectFirst = prepare<{ number: number }, [seq: number]>(
    database,
    "SELECT number FROM chunk WHERE job = ?1 ORDER BY number LIMIT 1",
  );

  /** Chunks up to this number; answers how many there were. */
  function dropUpTo(seq: number, number: number): number {
    newChunks.move();
    for (const { content } of selectOutside.all(seq, number)) payloads.drop(content);
    return remove.run(seq, number).changes;
  }

  return {
    append(seq, first, chunks) {
      for (const [index, chunk] of chunks.entries()) newChunks.add(seq, first + index, payloads.keep(chunk));
    },

    read(seq, start, end, limit, byteLimit) {
      const fresh = newChunks.of(seq);
      const chunks: Payload[] = [];
      let bytes = 0;
      for (let next = start; next < end && chunks.length < limit && bytes < byteLimit; next++) {
        const content = fresh.get(next) ?? select.get(seq, next)?.content;
        const chunk = content === undefined ? missing(seq, next) : payloads.load(content);
        chunks.push(chunk);
        bytes += sizeOf(chunk);
      }
      return chunks;
    },

    drop(seq, limit) {
      newChunks.move();
      const first = selectFirst.get(seq);
      return first === null ? 0 : dropUpTo(seq, first.number + limit - 1);
    },

    dropAll: (seq) => void dropUpTo(seq, ALL),
  };
}

function missing(seq: number, number: number): Payload {
  return damagedPayload(0, `the row of chunk ${number} of job ${seq} is missing`);
}
