import { damagedPayload, isStored, PAYLOAD_INLINE_LIMIT, type Payload } from "../../domain/payload.ts";
import { PayloadDamaged } from "../../domain/errors.ts";
import { checkedPayload, sizeWithoutDigest, withDigest } from "../digested.ts";
import { type Database, prepare } from "./sqlite-driver.ts";

/**
 * A payload in a column: its bytes with their digest, or the number of its row in the table `payload`. That
 * row has the bytes or names a file. An update writes the whole row again, so only small payloads are stored
 * in the row of the job.
 */
export type PayloadColumn = Uint8Array | number;

/** Stands for bytes in a row that were not read: no row of the table `payload` has this number. */
export const IN_ROW = 0;

const ROW_LIMIT = 2_048;

export interface Payloads {
  /** The column that stands for the payload; writes its row if it needs one. */
  keep(payload: Payload): PayloadColumn;
  /** Does not throw for a damaged payload: only who reads it fails. */
  load(column: PayloadColumn): Payload;
  /** Another row names the payload from now on as well. Answers its size. */
  share(column: PayloadColumn): number;
  /**
   * A row no longer names the payload: if no other does, its own row goes, if it has one, and its file after
   * the commit.
   */
  drop(column: PayloadColumn | null): void;
  /** Names of the files that rows name. */
  files(): Set<string>;
  /** Whether a row names the file. */
  isNamed(file: string): boolean;
  /** The files that the drops since the last call have left without a row. */
  takeDropped(): string[];
}

export function payloads(database: Database): Payloads {
  const { insertBytes, insertFile, select, remove, addName, removeName, selectFiles, selectFile } =
    statementsOf(database);
  let dropped: string[] = [];

  return {
    keep(payload) {
      if (isStored(payload)) {
        if (payload.damage !== undefined) throw new PayloadDamaged(payload.damage);
        return Number(insertFile.run(payload.file, payload.size).lastInsertRowid);
      }
      if (payload.length <= ROW_LIMIT) return withDigest(payload);
      if (payload.length > PAYLOAD_INLINE_LIMIT) {
        throw new RangeError(
          `a payload of ${payload.length} bytes must be written beside the database first`,
        );
      }
      return Number(insertBytes.run(withDigest(payload), payload.length).lastInsertRowid);
    },

    load(column) {
      if (typeof column !== "number") return checkedPayload(column, "a payload in the row of its job");
      const row = select.get(column);
      if (row?.bytes) return checkedPayload(row.bytes, `row ${column} of the table payload`);
      if (row?.file) return { file: row.file, size: row.size };
      return damagedPayload(row?.size ?? 0, `row ${column} of the table payload is missing`);
    },

    share(column) {
      if (typeof column !== "number") return sizeWithoutDigest(column);
      const row = addName.get(column);
      if (row === null) throw new Error(`payload ${column} is missing`);
      return row.size;
    },

    drop(column) {
      if (typeof column !== "number" || column === IN_ROW) return;
      const row = remove.get(column);
      if (row === null) removeName.run(column);
      else if (row.file !== null) dropped.push(row.file);
    },

    files() {
      return new Set(selectFiles.all().map((row) => row.file));
    },

    isNamed: (file) => selectFile.get(file) !== null,

    takeDropped() {
      const files = dropped;
      dropped = [];
      return files;
    },
  };
}

function statementsOf(database: Database) {
  const insertBytes = prepare<never, [Uint8Array, number]>(
    database,
    "INSERT INTO payload (bytes, size) VALUES (?1, ?2)",
  );
  const insertFile = prepare<never, [string, number]>(
    database,
    "INSERT INTO payload (file, size) VALUES (?1, ?2)",
  );
  const select = prepare<{ bytes: Uint8Array | null; file: string | null; size: number }, [number]>(
    database,
    "SELECT bytes, file, size FROM payload WHERE ref = ?1",
  );
  const remove = prepare<{ file: string | null }, [number]>(
    database,
    "DELETE FROM payload WHERE ref = ?1 AND names = 1 RETURNING file",
  );
  const addName = prepare<{ size: number }, [number]>(
    database,
    "UPDATE payload SET names = names + 1 WHERE ref = ?1 RETURNING size",
  );
  const removeName = prepare<never, [number]>(
    database,
    "UPDATE payload SET names = names - 1 WHERE ref = ?1",
  );
  const selectFiles = prepare<{ file: string }, []>(
    database,
    "SELECT file FROM payload WHERE file IS NOT NULL",
  );
  const selectFile = prepare<{ ref: number }, [string]>(database, "SELECT ref FROM payload WHERE file = ?1");
  return { insertBytes, insertFile, select, remove, addName, removeName, selectFiles, selectFile };
}
