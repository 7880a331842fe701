import { PayloadDamaged, resultExpired } from "../../domain/errors.ts";
import { isStored, PAYLOAD_INLINE_LIMIT, type Payload } from "../../domain/payload.ts";
import { type Journal, JournaledMap } from "./journal.ts";

/** The payloads that do not travel with a row, by name, and how many rows name each. */
export interface MemoryPayloads {
  /** Keeps the bytes until a row names them, or `forgetUnnamed` finds them; small ones are the answer. */
  write(bytes: Uint8Array, now: number): Payload;
  /** A copy, which the reader may change. Throws as `Store.readPayload` does. */
  read(payload: Payload): Uint8Array;
  /** Removes a payload that no row names. */
  discard(payload: Payload): void;
  /** At most `limit` payloads go that were written before and are not named; answers how many. */
  forgetUnnamed(before: number, limit: number): number;
  /** How many rows name each payload, by name. */
  names(): Iterable<readonly [file: string, names: number]>;

  /** The payload as a row holds it that names it from now on. */
  keep(payload: Payload): Payload;
  /** A row no longer names the payload; it goes when no row does. */
  drop(payload: Payload | undefined): void;
}

interface KeptBytes {
  readonly bytes: Uint8Array;
  readonly writtenAt: number;
  readonly names: number;
}

export function memoryPayloads(journal: Journal): MemoryPayloads {
  const files = new JournaledMap<KeptBytes>(journal);
  let written = 0;

  return {
    write(bytes, now) {
      if (bytes.length <= PAYLOAD_INLINE_LIMIT) return bytes;
      const file = `payload-${++written}`;
      // No step has written it, so none undoes it.
      files.putForGood(file, { bytes: new Uint8Array(bytes), writtenAt: now, names: 0 });
      return { file, size: bytes.length };
    },

    read(payload) {
      if (!isStored(payload)) return payload;
      if (payload.damage !== undefined) throw new PayloadDamaged(payload.damage);
      const kept = files.get(payload.file);
      // The row went first: the retention has ended since it was read.
      if (kept === undefined) throw resultExpired();
      return new Uint8Array(kept.bytes);
    },

    discard(payload) {
      if (isStored(payload) && files.get(payload.file)?.names === 0) {
        files.putForGood(payload.file, undefined);
      }
    },

    forgetUnnamed(before, limit) {
      const unnamed = [...files.entries()].filter(
        ([, { names, writtenAt }]) => names === 0 && writtenAt < before,
      );
      for (const [file] of unnamed.slice(0, limit)) files.put(file, undefined);
      return Math.min(unnamed.length, limit);
    },

    *names() {
      for (const [file, { names }] of files.entries()) yield [file, names];
    },

    keep(payload) {
      if (!isStored(payload)) {
        if (payload.length <= PAYLOAD_INLINE_LIMIT) return new Uint8Array(payload);
        throw new RangeError(`a payload of ${payload.length} bytes must be written first`);
      }
      if (payload.damage !== undefined) throw new PayloadDamaged(payload.damage);
      const kept = files.get(payload.file);
      if (kept === undefined) throw new Error(`the payload ${payload.file} that a step names is gone`);
      files.put(payload.file, { ...kept, names: kept.names + 1 });
      return { file: payload.file, size: payload.size };
    },

    drop(payload) {
      if (payload === undefined || !isStored(payload)) return;
      const kept = files.get(payload.file);
      if (kept === undefined) throw new Error(`the payload ${payload.file} that a row names is gone`);
      files.put(payload.file, kept.names > 1 ? { ...kept, names: kept.names - 1 } : undefined);
    },
  };
}

/** A payload as it leaves the store: a copy, because its reader may give its memory back. */
export function copyOf(payload: Payload): Payload {
  return isStored(payload) ? payload : new Uint8Array(payload);
}

export function copyIfAny(payload: Payload | undefined): Payload | undefined {
  return payload && copyOf(payload);
}
