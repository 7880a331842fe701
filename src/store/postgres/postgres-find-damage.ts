import { type Damage, damagedPayloads, type NamedPayload, payloadsOf } from "../find-damage.ts";
import { explained, postgresAccess } from "./postgres-boot.ts";
import { openPool, type Parameter, type Pool } from "./postgres-driver.ts";
import { payloadOf } from "./postgres-payload-columns.ts";
import { payloads } from "./postgres-payloads.ts";

/** Rows of one read: at most 64 kB in each of their payloads. */
const PAGE = 50;

interface ContentRow {
  readonly endpoint: string;
  readonly id: string;
  readonly job: string;
  readonly number: number;
  readonly body: Uint8Array | null;
  readonly body_ref: string | null;
  readonly secret: Uint8Array | null;
  readonly secret_ref: string | null;
  readonly output: Uint8Array | null;
  readonly output_ref: string | null;
  readonly error: Uint8Array | null;
  readonly error_ref: string | null;
  readonly progress: Uint8Array | null;
  readonly progress_ref: string | null;
  readonly input: Uint8Array | null;
  readonly input_ref: string | null;
  readonly content: Uint8Array | null;
  readonly ref: string | null;
}

const JOBS = `
  SELECT endpoint, id, body, body_ref, secret, secret_ref, output, output_ref, error, error_ref, progress,
         progress_ref
  FROM forebay.job WHERE (endpoint, id) > ($1, $2) ORDER BY endpoint, id LIMIT ${PAGE}`;

const CHUNKS = `
  SELECT endpoint, job, number, content, ref FROM forebay.chunk
  WHERE (endpoint, job, number) > ($1, $2, $3) ORDER BY endpoint, job, number LIMIT ${PAGE}`;

const DELIVERIES = `
  SELECT endpoint, id, job, output, output_ref, error, error_ref FROM forebay.delivery
  WHERE (endpoint, id) > ($1, $2) ORDER BY endpoint, id LIMIT ${PAGE}`;

const PAST = `
  SELECT endpoint, id, input, input_ref FROM forebay.history
  WHERE (endpoint, id) > ($1, $2) ORDER BY endpoint, id LIMIT ${PAGE}`;

/**
 * Reads all payloads of a database, and changes nothing; servers may be running on it. The schema must be
 * that of this version.
 */
export async function* findPostgresDamage(url: string): AsyncGenerator<Damage> {
  const pool = openPool(await postgresAccess(url), 1);
  try {
    yield* damagedPayloads(namedPayloads(pool), payloads(pool).read);
  } catch (error) {
    throw explained(error, url);
  } finally {
    await pool.close();
  }
}

async function* namedPayloads(pool: Pool): AsyncGenerator<NamedPayload> {
  for await (const row of pages(pool, JOBS, (last) => [last?.endpoint ?? "", last?.id ?? ""])) {
    yield* payloadsOf(
      { endpoint: row.endpoint, job: row.id },
      {
        "the input": payloadOf(row.body, row.body_ref),
        "the s3Config": payloadOf(row.secret, row.secret_ref),
        "the output": payloadOf(row.output, row.output_ref),
        "the error": payloadOf(row.error, row.error_ref),
        "the progress": payloadOf(row.progress, row.progress_ref),
      },
    );
  }
  const chunkAfter = (last?: ContentRow) => [last?.endpoint ?? "", last?.job ?? "", last?.number ?? -1];
  for await (const row of pages(pool, CHUNKS, chunkAfter)) {
    yield* payloadsOf(row, { [`chunk ${row.number}`]: payloadOf(row.content, row.ref) });
  }
  for await (const row of pages(pool, DELIVERIES, (last) => [last?.endpoint ?? "", last?.id ?? ""])) {
    yield* payloadsOf(row, {
      "the output in a webhook": payloadOf(row.output, row.output_ref),
      "the error in a webhook": payloadOf(row.error, row.error_ref),
    });
  }
  for await (const row of pages(pool, PAST, (last) => [last?.endpoint ?? "", last?.id ?? ""])) {
    const input = payloadOf(row.input, row.input_ref);
    yield* payloadsOf({ endpoint: row.endpoint, job: row.id }, { "the input in the history": input });
  }
}

/** All rows, page by page. */
async function* pages(
  pool: Pool,
  text: string,
  after: (last?: ContentRow) => readonly Parameter[],
): AsyncGenerator<ContentRow> {
  let rows = await pool.query<ContentRow>(text, after());
  while (rows.length > 0) {
    yield* rows;
    rows = await pool.query<ContentRow>(text, after(rows.at(-1)));
  }
}
