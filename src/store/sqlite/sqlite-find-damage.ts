import { join } from "node:path";
import { PayloadDamaged, resultExpired } from "../../domain/errors.ts";
import { isStored, type Payload } from "../../domain/payload.ts";
import { brokenPromise } from "../check-job.ts";
import { type Damage, damagedPayloads, type NamedPayload, payloadsOf } from "../find-damage.ts";
import { readPayloadFile } from "../payload-files.ts";
import { closeDatabase, type Database, openToRead, prepare } from "./sqlite-driver.ts";
import { JOB_COLUMNS, jobRowOf, type ResultRow, type StoredJob, UNREAD_RESULTS } from "./sqlite-job-row.ts";
import { type PayloadColumn, payloads, type Payloads } from "./sqlite-payloads.ts";

/** Rows of one read. Between two reads, a running server can shorten its log. */
const PAGE = 100;

interface JobRow {
  readonly seq: number;
  readonly endpoint: string;
  readonly id: string;
  readonly body: PayloadColumn;
  readonly secret: PayloadColumn | null;
  readonly output: PayloadColumn | null;
  readonly error: PayloadColumn | null;
  readonly progress: PayloadColumn | null;
}

interface ChunkRow {
  readonly seq: number;
  readonly number: number;
  readonly endpoint: string;
  readonly id: string;
  readonly content: PayloadColumn;
}

type DeliveryRow = Pick<JobRow, "seq" | "endpoint" | "output" | "error"> & { readonly job: string };

/**
 * Checks the pages of the database and all payloads of a data directory, and changes nothing. `isInUse`: a
 * server runs on it. The schema must be that of this version.
 */
export async function* findSqliteDamage(directory: string, isInUse: boolean): AsyncGenerator<Damage> {
  const path = join(directory, "forebay.db");
  const database = openToRead(path, isInUse);
  try {
    yield* damagedPages(database, path);
    yield* brokenJobs(database);
    const kept = payloads(database);
    yield* damagedPayloads(namedPayloads(database, kept), (payload) => readKept(directory, kept, payload));
  } finally {
    closeDatabase(database);
  }
}

/** Table by table: during the check of one table, a running server cannot shorten its log. */
function* damagedPages(database: Database, path: string): Generator<Damage> {
  const tables = prepare<{ name: string }, []>(
    database,
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
  ).all();
  for (const { name } of tables) {
    const found = prepare<{ quick_check: string }, []>(database, `PRAGMA quick_check(${name})`).all();
    for (const { quick_check: says } of found) {
      if (says !== "ok") yield { of: undefined, where: `${path}, table ${name}: ${says}` };
    }
  }
}

/** Rows of jobs that contradict themselves. */
async function* brokenJobs(database: Database): AsyncGenerator<Damage> {
  const select = prepare<StoredJob & ResultRow, [number]>(
    database,
    `SELECT ${JOB_COLUMNS}, ${UNREAD_RESULTS} FROM job WHERE seq > ?1 ORDER BY seq LIMIT ${PAGE}`,
  );
  for await (const row of pages((last?: StoredJob & ResultRow) => select.all(last?.seq ?? 0))) {
    const promise = brokenPromise(jobRowOf(row));
    if (promise === undefined) continue;
    const where = `row ${row.seq} of the table job breaks a promise (${promise})`;
    yield { of: { endpoint: row.endpoint, job: row.id, what: "the row" }, where };
  }
}

async function readKept(directory: string, kept: Payloads, payload: Payload): Promise<Uint8Array> {
  if (!isStored(payload)) return payload;
  const { file, size, damage } = payload;
  if (damage !== undefined) throw new PayloadDamaged(damage);
  try {
    return await readPayloadFile(join(directory, "payloads"), file, size);
  } catch (error) {
    if (error instanceof PayloadDamaged && !kept.isNamed(file)) throw resultExpired();
    throw error;
  }
}

async function* namedPayloads(database: Database, kept: Payloads): AsyncGenerator<NamedPayload> {
  const load = (column: PayloadColumn | null) => (column === null ? undefined : kept.load(column));
  const selectJobs = prepare<JobRow, [number]>(
    database,
    `SELECT seq, endpoint, id, body, secret, output, error, progress
     FROM job WHERE seq > ?1 ORDER BY seq LIMIT ${PAGE}`,
  );
  for await (const row of pages((last?: JobRow) => selectJobs.all(last?.seq ?? 0))) {
    yield* payloadsOf(
      { endpoint: row.endpoint, job: row.id },
      {
        "the input": kept.load(row.body),
        "the s3Config": load(row.secret),
        "the output": load(row.output),
        "the error": load(row.error),
        "the progress": load(row.progress),
      },
    );
  }

  const selectChunks = prepare<ChunkRow, [job: number, number: number]>(
    database,
    `SELECT chunk.job AS seq, number, endpoint, id, content FROM chunk JOIN job ON job.seq = chunk.job
     WHERE (chunk.job, number) > (?1, ?2) ORDER BY chunk.job, number LIMIT ${PAGE}`,
  );
  const chunksOf = (row: ChunkRow): Iterable<NamedPayload> =>
    payloadsOf({ endpoint: row.endpoint, job: row.id }, { [`chunk ${row.number}`]: kept.load(row.content) });
  for await (const row of pages((last?: ChunkRow) => selectChunks.all(last?.seq ?? 0, last?.number ?? -1))) {
    yield* chunksOf(row);
  }
  const selectNewChunks = prepare<ChunkRow, []>(
    database,
    `SELECT new_chunk.job AS seq, number, endpoint, id, content
     FROM new_chunk JOIN job ON job.seq = new_chunk.job`,
  );
  for (const row of selectNewChunks.all()) yield* chunksOf(row);

  const selectDeliveries = prepare<DeliveryRow, [number]>(
    database,
    `SELECT seq, endpoint, job, output, error FROM delivery WHERE seq > ?1 ORDER BY seq LIMIT ${PAGE}`,
  );
  for await (const row of pages((last?: DeliveryRow) => selectDeliveries.all(last?.seq ?? 0))) {
    const { output, error } = row;
    yield* payloadsOf(row, {
      "the output in a webhook": load(output),
      "the error in a webhook": load(error),
    });
  }
  yield* pastInputs(database, kept);
}

type PastRow = Pick<JobRow, "seq" | "endpoint" | "id"> & { readonly input: PayloadColumn };

async function* pastInputs(database: Database, kept: Payloads): AsyncGenerator<NamedPayload> {
  const select = prepare<PastRow, [number]>(
    database,
    `SELECT number AS seq, endpoint, id, input FROM history
     WHERE number > ?1 AND input IS NOT NULL ORDER BY number LIMIT ${PAGE}`,
  );
  for await (const { endpoint, id, input } of pages((last?: PastRow) => select.all(last?.seq ?? 0))) {
    yield* payloadsOf({ endpoint, job: id }, { "the input in the history": kept.load(input) });
  }
}

/** All rows, page by page. Other calls run in between. */
async function* pages<Row>(next: (last?: Row) => Row[]): AsyncGenerator<Row> {
  for (let page = next(); page.length > 0; page = next(page.at(-1))) {
    yield* page;
    await new Promise(setImmediate);
  }
}
