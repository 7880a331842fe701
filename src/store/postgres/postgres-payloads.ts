import { ForebayError } from "../../domain/errors.ts";
import { isStored, PAYLOAD_INLINE_LIMIT, type Payload } from "../../domain/payload.ts";
import type { Connection, Pool } from "./postgres-driver.ts";
import { orUnavailable, postgresFailure } from "./postgres-failure.ts";

/** Payloads too large for a row, as rows of parts. */
export interface Payloads {
  write(bytes: Uint8Array): Promise<Payload>;
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

const ADD_PART = "INSERT INTO forebay.payload_part (file, number, bytes) VALUES ($1::uuid, $2, $3)";

const READ_PART = "SELECT bytes FROM forebay.payload_part WHERE file = $1::uuid AND number = $2";

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

  return {
    async write(bytes) {
      if (bytes.length <= PAYLOAD_INLINE_LIMIT) return bytes;
      const file = crypto.randomUUID();
      unnamed.add(file);
      try {
        await writeParts(pool, file, bytes);
      } catch (thrown) {
        await remove(file).catch(() => undefined);
        throw postgresFailure(thrown).error;
      }
      return { file, size: bytes.length };
    },

    async read(payload) {
      if (!isStored(payload)) return payload;
      const bytes = new Uint8Array(payload.size);
      for (let number = 0; number * PART_SIZE < payload.size; number++) {
        const rows = pool.query<{ bytes: Uint8Array }>(READ_PART, [payload.file, number]);
        const [part] = await orUnavailable(rows);
        if (part === undefined) {
          throw new ForebayError("JOB_NOT_FOUND", "The result of the job has just expired.");
        }
        bytes.set(part.bytes, number * PART_SIZE);
      }
      return bytes;
    },

    async discard(payload) {
      if (isStored(payload)) await remove(payload.file);
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
  for (const { number, bytes: part } of partsOf(bytes)) {
    await connection.query(ADD_PART, [file, number, part]);
  }
}

/** What the rows of a payload hold. */
export function* partsOf(bytes: Uint8Array): Iterable<{ number: number; bytes: Uint8Array }> {
  for (let number = 0; number * PART_SIZE < bytes.length; number++) {
    yield { number, bytes: bytes.subarray(number * PART_SIZE, (number + 1) * PART_SIZE) };
  }
}
