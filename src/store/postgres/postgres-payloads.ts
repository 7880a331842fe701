import { PayloadDamaged, resultExpired } from "../../domain/errors.ts";
import { isStored, PAYLOAD_INLINE_LIMIT, type Payload } from "../../domain/payload.ts";
import type { Soon } from "../../domain/soon.ts";
import { digestOf } from "../digested.ts";
import type { Connection, Pool } from "./postgres-driver.ts";
import { orUnavailable, postgresFailure } from "./postgres-failure.ts";

/** Payloads too large for a row, as rows of parts. */
export interface Payloads {
  write(bytes: Uint8Array): Soon<Payload>;
  read(payload: Payload): Promise<Uint8Array>;
  discard(payload: Payload): Promise<void>;
  /** Rows name these from now on. */
  named(files: readonly string[]): void;
  /** Removes what was written here and never named. */
  discardUnnamed(): Promise<void>;
}

/** Bytes of a row. */
const PART_SIZE = 262_144;

const ADD_PAYLOAD = `
  INSERT INTO forebay.payload (file, size, written_at)
  VALUES ($1::uuid, $2, (SELECT latest FROM forebay.clock))`;

const ADD_PART = `
  INSERT INTO forebay.payload_part (file, number, bytes, digest) VALUES ($1::uuid, $2, $3, $4)`;

const READ_PART = `
  SELECT bytes, digest::float8 AS digest FROM forebay.payload_part WHERE file = $1::uuid AND number = $2`;

const IS_NAMED = "SELECT 1 FROM forebay.payload WHERE file = $1::uuid AND named";

const REMOVE = "DELETE FROM forebay.payload WHERE file = $1::uuid";

/**
 * Nobody waits until the parts are durable: the transaction that names the payload comes later, finds all of
 * them or is refused, and is not durable before they are. What is not complete is named by nobody.
 */
export function payloads(pool: Pool): Payloads {
  const unnamed = new Set<string>();

  async function remove(file: string): Promise<void> {
    unnamed.delete(file);
    await pool.query(REMOVE, [file]);
  }

  async function writeLarge(bytes: Uint8Array): Promise<Payload> {
    const file = crypto.randomUUID();
    unnamed.add(file);
    try {
      await writeParts(pool, file, bytes);
    } catch (thrown) {
      await remove(file).catch(() => undefined);
      throw postgresFailure(thrown).error;
    }
    return { file, size: bytes.length };
  }

  return {
    write: (bytes) => (bytes.length <= PAYLOAD_INLINE_LIMIT ? bytes : writeLarge(bytes)),

    async read(payload) {
      if (!isStored(payload)) return payload;
      const { file, size, damage } = payload;
      if (damage !== undefined) throw new PayloadDamaged(damage);
      const bytes = new Uint8Array(size);
      for (let number = 0; number * PART_SIZE < size; number++) {
        const rows = pool.query<Part>(READ_PART, [file, number]);
        const [part] = await orUnavailable(rows);
        const expected = Math.min(PART_SIZE, size - number * PART_SIZE);
        const fault = partFault(part, expected);
        if (part !== undefined && fault === undefined) {
          bytes.set(part.bytes, number * PART_SIZE);
          continue;
        }
        // The row went first: the retention has ended since it was read.
        const named = await orUnavailable(pool.query(IS_NAMED, [file]));
        if (named.length === 0) throw resultExpired();
        throw new PayloadDamaged(`part ${number} of payload ${file} (table payload_part) ${fault}`);
      }
      return bytes;
    },

    async discard(payload) {
      if (isStored(payload) && payload.damage === undefined) await remove(payload.file);
    },

    named(files) {
      for (const file of files) unnamed.delete(file);
    },

    async discardUnnamed() {
      for (const file of unnamed) await remove(file);
    },
  };
}

async function writeParts(connection: Connection, file: string, bytes: Uint8Array): Promise<void> {
  await connection.query(ADD_PAYLOAD, [file, bytes.length]);
  for (const { number, bytes: part, digest } of partsOf(bytes)) {
    await connection.query(ADD_PART, [file, number, part, digest]);
  }
}

interface Part {
  readonly bytes: Uint8Array;
  /** CRC-32; null if version 0.1 wrote the part. */
  readonly digest: number | null;
}

/** What is wrong with a part of `size` bytes; undefined if nothing is. */
export function partFault(part: Part | undefined, size: number): string | undefined {
  if (part === undefined) return "is missing";
  if (part.bytes.length !== size) return `has ${part.bytes.length} bytes, not ${size}`;
  if (part.digest === null || part.digest === digestOf(part.bytes)) return undefined;
  return "is not what was written: its CRC-32 differs";
}

/** What the rows of a payload hold. */
export function* partsOf(bytes: Uint8Array): Iterable<Part & { number: number }> {
  for (let number = 0; number * PART_SIZE < bytes.length; number++) {
    const part = bytes.subarray(number * PART_SIZE, (number + 1) * PART_SIZE);
    yield { number, bytes: part, digest: digestOf(part) };
  }
}
