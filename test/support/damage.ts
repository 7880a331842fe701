import { Database } from "bun:sqlite";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SQL } from "bun";

/** A stored payload: a column of a job or of its webhook, or a chunk by its number. */
export interface Place {
  readonly endpoint: string;
  readonly job: string;
  readonly of: "body" | "secret" | "output" | "error" | "progress" | "delivery" | number;
}

/** What becomes of the bytes as they lie in the store; undefined removes them. */
export type Change = (stored: Uint8Array) => Uint8Array | undefined;

/** Flips one bit of the byte at `at`; a negative `at` counts from the end. */
export function flip(at: number): Change {
  return (stored) => {
    const changed = Uint8Array.from(stored);
    const index = at < 0 ? stored.length + at : at;
    changed[index] = (changed[index] ?? 0) ^ 0x10;
    return changed;
  };
}

/** As version 0.1 has written it: without a digest. */
export const WITHOUT_DIGEST: Change = (stored) => stored.slice(8);

export const REMOVED: Change = () => undefined;

/** Changes a payload in a data directory; a server may be running on it. */
export async function changeInDirectory(directory: string, place: Place, change: Change): Promise<void> {
  using database = new Database(join(directory, "forebay.db"));
  const { table, column, condition, values } = sqlOf(place);
  const seq = table === "chunk" ? "(SELECT seq FROM job WHERE id = ?1)" : "?1";
  const where = `${condition[0]} = ${seq} AND ${condition[1]} = ?2`;
  const row = database
    .query<{ content: Uint8Array | number }, (string | number)[]>(
      `SELECT ${column} AS content FROM ${table} WHERE ${where}`,
    )
    .get(...values);
  if (row === null) throw new Error(`there is no ${place.of} of ${place.job}`);
  if (typeof row.content !== "number") {
    const changed = changedIn(change, row.content);
    database.run(`UPDATE ${table} SET ${column} = ?${values.length + 1} WHERE ${where}`, [
      ...values,
      changed,
    ]);
    return;
  }
  await changePayloadRow(database, directory, row.content, change);
}

async function changePayloadRow(
  database: Database,
  directory: string,
  ref: number,
  change: Change,
): Promise<void> {
  const row = database
    .query<{ bytes: Uint8Array | null; file: string | null }, [number]>(
      "SELECT bytes, file FROM payload WHERE ref = ?1",
    )
    .get(ref);
  if (row?.bytes) {
    const changed = change(row.bytes);
    if (changed === undefined) database.run("DELETE FROM payload WHERE ref = ?1", [ref]);
    else database.run("UPDATE payload SET bytes = ?2 WHERE ref = ?1", [ref, changed]);
  } else if (row?.file) await changeFile(join(directory, "payloads", row.file), change);
  else throw new Error(`there is no row ${ref} of the table payload`);
}

async function changeFile(path: string, change: Change): Promise<void> {
  const changed = change(await readFile(path));
  if (changed === undefined) await Bun.file(path).delete();
  else await writeFile(path, changed);
}

/** The same in a PostgreSQL. Parts of large payloads have their digest in a column beside the bytes. */
export async function changeInPostgres(url: string, place: Place, change: Change): Promise<void> {
  await using sql = new SQL(url, { max: 1 });
  const { table, column, condition, values } = sqlOf(place);
  const where = condition.map((name, index) => `${name} = $${index + 1}`).join(" AND ");
  const ref = column === "content" ? "ref" : `${column}_ref`;
  const [row] = await sql.unsafe(
    `SELECT ${column} AS content, ${ref} AS ref FROM forebay.${table} WHERE ${where}`,
    values,
  );
  if (row.ref === null) {
    const changed = changedIn(change, row.content);
    const set = `UPDATE forebay.${table} SET ${column} = $${values.length + 1} WHERE ${where}`;
    await sql.unsafe(set, [...values, changed]);
    return;
  }
  const [file] = row.ref.split(" ");
  if (change === WITHOUT_DIGEST) {
    await sql.unsafe("UPDATE forebay.payload_part SET digest = NULL WHERE file = $1", [file]);
    return;
  }
  const [part] = await sql.unsafe(
    "SELECT number, bytes FROM forebay.payload_part WHERE file = $1 ORDER BY number DESC LIMIT 1",
    [file],
  );
  const changed = change(part.bytes);
  if (changed === undefined) await sql.unsafe("DELETE FROM forebay.payload_part WHERE file = $1", [file]);
  else
    await sql.unsafe("UPDATE forebay.payload_part SET bytes = $3 WHERE file = $1 AND number = $2", [
      file,
      part.number,
      changed,
    ]);
}

function changedIn(change: Change, content: Uint8Array): Uint8Array {
  const changed = change(content);
  if (changed === undefined) throw new Error("what lies in the row of its job cannot go without it");
  return changed;
}

function sqlOf({ endpoint, job, of }: Place) {
  if (of === "delivery")
    return { table: "delivery", column: "output", condition: ["endpoint", "job"], values: [endpoint, job] };
  if (typeof of === "string")
    return { table: "job", column: of, condition: ["endpoint", "id"], values: [endpoint, job] };
  return { table: "chunk", column: "content", condition: ["job", "number"], values: [job, of] };
}
