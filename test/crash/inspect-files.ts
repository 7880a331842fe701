import { Database } from "bun:sqlite";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { digestOf } from "./named-payload.ts";

/** Of what was submitted; each begins with the length. */
export interface SubmissionDigests {
  readonly body: string;
  readonly secret: string | undefined;
}

/** What the files of a closed store say. */
export interface FoundFiles {
  /** Digests of body and secret, by the id of their job: everything that has a row. */
  readonly submissions: ReadonlyMap<string, SubmissionDigests>;
  /** What is wrong whatever the jobs are: a broken database, rows and payloads without each other. */
  readonly faults: readonly string[];
}

type Column = Uint8Array | number | null;

interface JobRow {
  readonly seq: number;
  readonly id: string;
  readonly chunks: number;
  readonly body: Column;
  readonly secret: Column;
  readonly output: Column;
  readonly error: Column;
  readonly progress: Column;
}

interface PayloadRow {
  readonly ref: number;
  readonly bytes: Uint8Array | null;
  readonly file: string | null;
  readonly size: number;
  /** How many columns name it. */
  readonly names: number;
}

/** Reads the database by a connection of its own, past the store, which must be closed. */
export function inspectFiles(directory: string): FoundFiles {
  const faults: string[] = [];
  const database = new Database(join(directory, "forebay.db"), { readonly: true });
  const check = database.query<{ integrity_check: string }, []>("PRAGMA integrity_check").all();
  const jobs = database
    .query<JobRow, []>("SELECT seq, id, chunks, body, secret, output, error, progress FROM job")
    .all();
  const payloads = new Map(
    database
      .query<PayloadRow, []>("SELECT ref, bytes, file, size, names FROM payload")
      .all()
      .map((row) => [row.ref, row]),
  );
  const chunks = database
    .query<{ job: number; number: number; content: Column }, []>(
      "SELECT job, number, content FROM chunk UNION ALL SELECT job, number, content FROM new_chunk",
    )
    .all();
  const others = database
    .query<{ content: Column }, []>(
      `SELECT input AS content FROM history UNION ALL SELECT output FROM delivery
       UNION ALL SELECT error FROM delivery`,
    )
    .all();
  database.close();
  for (const { integrity_check } of check) if (integrity_check !== "ok") faults.push(integrity_check);

  const files = new Set(readdirSync(join(directory, "payloads")));
  for (const { file, ref } of payloads.values()) {
    if (file !== null && !files.delete(file)) faults.push(`payload ${ref} names ${file}, which is not there`);
  }
  for (const file of files) faults.push(`the file ${file} has no row`);

  const numbers = Map.groupBy(chunks, (chunk) => chunk.job);
  for (const { seq, id, chunks: count } of jobs) {
    const found = (numbers.get(seq) ?? []).map((chunk) => chunk.number).toSorted((a, b) => a - b);
    numbers.delete(seq);
    if (found.length !== count || found.some((number, index) => number !== index)) {
      faults.push(`${id} counts ${count} chunks and has the numbers ${found.join()}`);
    }
  }
  for (const seq of numbers.keys()) faults.push(`chunks of job row ${seq}, which is not there`);

  const refs = [
    ...jobs.flatMap(({ body, secret, output, error, progress }) => [body, secret, output, error, progress]),
    ...chunks.map((chunk) => chunk.content),
    ...others.map((other) => other.content),
  ].filter((column) => typeof column === "number");
  const named = Map.groupBy(refs, (ref) => ref);
  for (const ref of named.keys()) if (!payloads.has(ref)) faults.push(`payload row ${ref} is missing`);
  for (const { ref, names } of payloads.values()) {
    const count = named.get(ref)?.length ?? 0;
    if (count !== names) faults.push(`${count} columns name payload row ${ref}, which counts ${names}`);
  }

  function digest(column: Column): string | undefined {
    if (column === null) return undefined;
    if (typeof column !== "number") return digestOf(withoutHead(column));
    const row = payloads.get(column);
    if (row?.bytes) return digestOf(withoutHead(row.bytes));
    const path = join(directory, "payloads", row?.file ?? "");
    return row?.file && existsSync(path) ? digestOf(withoutHead(readFileSync(path))) : "missing";
  }
  const submissions = new Map(
    jobs.map(({ id, body, secret }) => [id, { body: digest(body) ?? "", secret: digest(secret) }]),
  );
  return { submissions, faults };
}

const MARK = Buffer.from([0xc1, 0xfe, 0x46, 0x01]);
const HEAD_BYTES = 8;

/** What was stored, behind the mark and the CRC-32 that stand before it (decision 0031). */
function withoutHead(stored: Uint8Array): Uint8Array {
  const bytes = stored.subarray(HEAD_BYTES);
  const head = Buffer.from(stored.subarray(0, HEAD_BYTES));
  const isWhole =
    head.subarray(0, MARK.length).equals(MARK) && head.readUInt32BE(MARK.length) === crc32(bytes);
  if (!isWhole) throw new Error(`a payload of ${stored.length} bytes has not the digest of its bytes`);
  return bytes;
}
