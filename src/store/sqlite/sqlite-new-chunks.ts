import { type Database, prepare } from "./sqlite-driver.ts";
import type { PayloadColumn } from "./sqlite-payloads.ts";

interface NewChunk {
  readonly seq: number;
  readonly number: number;
  readonly content: PayloadColumn;
}

/** Chunks in the order of their arrival, until they move to the table of chunks. */
export const NEW_CHUNK_TABLE = `
  CREATE TABLE new_chunk (
    seq     INTEGER PRIMARY KEY,
    job     INTEGER NOT NULL,
    number  INTEGER NOT NULL,
    content ANY     NOT NULL
  ) STRICT;
`;

/** The chunks of so many jobs in one commit are stored as they arrive. Those of fewer jobs need few pages. */
const MANY = 8;

/** So many rows are moved at once: a few ms. */
const LIMIT = 1_024;

const MOVE = [
  "INSERT INTO chunk SELECT job, number, content FROM new_chunk",
  "DELETE FROM new_chunk",
] as const;

/** How many rows have not moved yet; 0 in a database without the table, of an older version. */
export function countNewChunks(database: Database): number {
  const exists = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'new_chunk'";
  if (prepare(database, exists).get() === null) return 0;
  const count = "SELECT count(*) AS rows FROM new_chunk";
  return prepare<{ rows: number }, []>(database, count).get()?.rows ?? 0;
}

/** Moves all new chunks to the table of chunks. */
export function moveNewChunks(database: Database): void {
  database.transaction(() => MOVE.forEach((sql) => database.run(sql))).immediate();
}

/**
 * In the table of chunks each job has pages of its own, so a commit with the chunks of 100 jobs would write
 * more than 100 pages for 10 kB. It writes them in the order of their arrival to another table, which takes a
 * few pages. From there they move on, many at once: a chunk is in one of the two tables.
 */
export class NewChunks {
  /** Those of this transaction that are not written yet. */
  readonly added: NewChunk[] = [];
  readonly #database: Database;
  readonly #insert: ReturnType<typeof insertInto>;
  readonly #insertMoved: ReturnType<typeof insertInto>;
  readonly #select;
  readonly #move: readonly { run(): unknown }[];
  /** How many rows the table of new chunks has; undefined: they must be counted. */
  #rows: number | undefined;

  constructor(database: Database) {
    this.#database = database;
    this.#insert = insertInto(database, "new_chunk");
    this.#insertMoved = insertInto(database, "chunk");
    this.#select = prepare<Omit<NewChunk, "seq">, [seq: number]>(
      database,
      "SELECT number, content FROM new_chunk WHERE job = ?1",
    );
    this.#move = MOVE.map((sql) => prepare<never, []>(database, sql));
  }

  add(seq: number, number: number, content: PayloadColumn): void {
    this.added.push({ seq, number, content });
  }

  /** The chunks of the job that are not in the table of chunks, by number. */
  of(seq: number): ReadonlyMap<number, PayloadColumn> {
    this.flush();
    const found = this.#count() === 0 ? [] : this.#select.all(seq);
    return new Map(found.map(({ number, content }) => [number, content]));
  }

  /** Writes those that were added: to be called before the transaction is committed. */
  flush(): void {
    const added = this.added.splice(0);
    if (added.length === 0) return;
    const isOfMany = new Set(added.map(({ seq }) => seq)).size >= MANY;
    const rows = this.#count() + (isOfMany ? added.length : 0);
    const insert = isOfMany ? this.#insert : this.#insertMoved;
    for (const { seq, number, content } of added) insert.run(seq, number, content);
    this.#rows = rows;
    if (rows >= LIMIT) this.move();
  }

  /** Moves all, within the transaction: to be called before chunks are deleted. */
  move(): void {
    this.flush();
    if (this.#count() === 0) return;
    for (const statement of this.#move) statement.run();
    this.#rows = 0;
  }

  /** The transaction is gone. */
  rolledBack(): void {
    this.added.length = 0;
    this.#rows = undefined;
  }

  #count(): number {
    this.#rows ??= countNewChunks(this.#database);
    return this.#rows;
  }
}

function insertInto(database: Database, table: "chunk" | "new_chunk") {
  return prepare<never, [seq: number, number: number, content: PayloadColumn]>(
    database,
    `INSERT INTO ${table} (job, number, content) VALUES (?1, ?2, ?3)`,
  );
}
