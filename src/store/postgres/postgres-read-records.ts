import { parseFigures } from "../../domain/figures.ts";
import type { AllocatedDevice } from "../allocations.ts";
import type { RecordChange, RecordKind } from "../configuration-record.ts";
import { type ContactRow, contactOf } from "../contact-row.ts";
import { pastWorkerOf, type PastWorkerRow } from "../past-workers.ts";
import { sealedPage, type SealedRow } from "../sealed-values.ts";
import type { Counts, Queue, Store, WorkerContact } from "../store.ts";
import { SELECT_ALLOCATIONS } from "./postgres-allocations.ts";
import { array } from "./postgres-arrays.ts";
import type { Parameter, Pool } from "./postgres-driver.ts";
import { orUnavailable } from "./postgres-failure.ts";
import { SELECT_PAST_WORKERS } from "./postgres-past-workers.ts";
import { payloadOf } from "./postgres-payload-columns.ts";

interface RecordRow {
  readonly kind: RecordKind;
  readonly id: string;
  readonly account: string;
  readonly name: string | null;
  readonly version: number;
  readonly change: number;
  readonly body: string | null;
}

interface CountsRow extends Counts {
  readonly endpoint: string;
}

interface SealedColumns {
  readonly endpoint: string;
  readonly id: string;
  readonly job: string;
  readonly secret: Uint8Array | null;
  readonly secret_ref: string | null;
  readonly webhook: Uint8Array | null;
}

interface EndpointContactRow extends ContactRow {
  readonly endpoint: string;
}

const ALL_COUNTS = (which: string): string => `
  SELECT queue.endpoint, coalesce(sum(queued), 0)::float8 AS queued,
         coalesce(sum(queued_low_priority), 0)::float8 AS "queuedLowPriority",
         coalesce(sum(queued_bytes), 0)::float8 AS "queuedBytes",
         coalesce(sum(running), 0)::float8 AS running, coalesce(sum(completed), 0)::float8 AS completed,
         coalesce(sum(failed), 0)::float8 AS failed, coalesce(sum(retried), 0)::float8 AS retried,
         coalesce(sum(ignored), 0)::float8 AS ignored
  FROM forebay.queue LEFT JOIN forebay.counter ON counter.endpoint = queue.endpoint
  ${which} GROUP BY queue.endpoint`;

const SELECT_COUNTS = ALL_COUNTS("WHERE queue.endpoint = $1");

const SELECT_ALL_COUNTS = ALL_COUNTS("");

const SELECT_QUEUES = `
  SELECT endpoint, sum(queued)::float8 AS queued, sum(queued_low_priority)::float8 AS "queuedLowPriority"
  FROM forebay.counter GROUP BY endpoint HAVING sum(queued) > 0`;

const SELECT_WORKERS = `
  SELECT endpoint, worker, last_contact::float8 AS "lastContact", running::float8 AS running,
         running_low_priority::float8 AS "runningLowPriority", pings, hung_up, stray_job,
         stray_since::float8 AS stray_since
  FROM forebay.contact CROSS JOIN LATERAL (
    SELECT count(*) AS running, count(*) FILTER (WHERE low_priority) AS running_low_priority FROM forebay.job
    WHERE job.endpoint = contact.endpoint AND job.holder = contact.worker AND job.state = 'IN_PROGRESS'
  ) AS held
  WHERE endpoint = ANY ($1) AND (last_contact >= $2 OR running > 0)`;

const SELECT_CHANGES = `
  SELECT kind, id, account, name, version, change::float8 AS change, body
  FROM forebay.record WHERE change > $1 ORDER BY record.change`;

const SELECT_LATEST_TIME = "SELECT latest::float8 AS latest FROM forebay.clock";

const SELECT_STATISTICS = `
  SELECT at::float8 AS at, figures FROM forebay.statistics
  WHERE endpoint = $1 AND width = $2 AND at >= $3 ORDER BY statistics.at`;

const SELECT_FRONTS = `
  SELECT asked.endpoint, front.queued_at::float8 AS "queuedAt"
  FROM unnest($1::text[]) AS asked (endpoint) CROSS JOIN LATERAL (
    SELECT queued_at FROM forebay.job
    WHERE job.endpoint = asked.endpoint AND job.holder = '' ORDER BY job.position LIMIT 1
  ) AS front`;

/** Along the index of ids. */
const SELECT_SEALED = {
  job: `
    SELECT endpoint, id, id AS job, secret, secret_ref, webhook FROM forebay.job
    WHERE (endpoint, id) > ($1, $2) ORDER BY endpoint, id LIMIT $3`,
  delivery: `
    SELECT endpoint, id, job, NULL::bytea AS secret, NULL::text AS secret_ref, webhook FROM forebay.delivery
    WHERE (endpoint, id) > ($1, $2) ORDER BY endpoint, id LIMIT $3`,
} as const;

/** The reads of everything that is not a job or a delivery. */
export function postgresReadRecords(pool: Pool) {
  async function rows<Row>(text: string, parameters: readonly Parameter[]): Promise<Row[]> {
    return orUnavailable(pool.query<Row>(text, parameters));
  }

  return {
    async queues() {
      const queues = await rows<Queue>(SELECT_QUEUES, []);
      return queues.map(({ endpoint, queued, queuedLowPriority }) => ({
        endpoint,
        queued,
        queuedLowPriority,
      }));
    },

    counts: readCounts(pool),

    async allCounts() {
      return new Map((await rows<CountsRow>(SELECT_ALL_COUNTS, [])).map(countsOf));
    },

    workersOf: (endpoints, since) => workersOf(pool, endpoints, since),

    async workers(endpoint, since) {
      return (await workersOf(pool, [endpoint], since)).get(endpoint) ?? [];
    },

    async changesSince(change) {
      return (await rows<RecordRow>(SELECT_CHANGES, [change])).map(changeOf);
    },

    allocations: () => rows<AllocatedDevice>(SELECT_ALLOCATIONS, []),

    async pastWorkers(endpoint, ids) {
      return (await rows<PastWorkerRow>(SELECT_PAST_WORKERS, [endpoint, array(ids)])).map(pastWorkerOf);
    },

    async latestTime() {
      const [row] = await rows<{ latest: number }>(SELECT_LATEST_TIME, []);
      return row?.latest ?? 0;
    },

    async statistics(endpoint, width, from) {
      const slots = await rows<{ at: number; figures: string }>(SELECT_STATISTICS, [endpoint, width, from]);
      return slots.map(({ at, figures }) => ({ endpoint, width, at, figures: parseFigures(figures) }));
    },

    async fronts(endpoints) {
      const fronts = await rows<{ endpoint: string; queuedAt: number }>(SELECT_FRONTS, [array(endpoints)]);
      return new Map(fronts.map(({ endpoint, queuedAt }) => [endpoint, queuedAt]));
    },

    async sealed(table, after, looked) {
      const place = [after?.endpoint ?? "", after?.id ?? "", looked];
      const found = await rows<SealedColumns>(SELECT_SEALED[table], place);
      return sealedPage(table, found.map(sealedRow), looked);
    },
  } satisfies Partial<Store>;
}

async function workersOf(
  pool: Pool,
  endpoints: readonly string[],
  since: number,
): Promise<Map<string, WorkerContact[]>> {
  const found = await orUnavailable(
    pool.query<EndpointContactRow>(SELECT_WORKERS, [array(endpoints), since]),
  );
  const byEndpoint = new Map<string, WorkerContact[]>();
  for (const row of found) {
    const contacts = byEndpoint.get(row.endpoint) ?? [];
    contacts.push(contactOf(row));
    byEndpoint.set(row.endpoint, contacts);
  }
  return byEndpoint;
}

/**
 * Calls for one endpoint in the same round of the event loop share a statement: each job that is offered to a
 * waiting call asks once it is handed out, and many leave with the same commit.
 */
function readCounts(pool: Pool): Store["counts"] {
  const asked = new Map<string, Promise<Counts | undefined>>();

  async function read(endpoint: string): Promise<Counts | undefined> {
    await new Promise(setImmediate);
    // A later call can follow a commit that the statement does not see.
    asked.delete(endpoint);
    const [row] = await orUnavailable(pool.query<CountsRow>(SELECT_COUNTS, [endpoint]));
    return row && countsOf(row)[1];
  }

  return (endpoint) => {
    const reading = asked.get(endpoint) ?? read(endpoint);
    asked.set(endpoint, reading);
    return reading;
  };
}

function countsOf({ endpoint, ...counts }: CountsRow): [endpoint: string, counts: Counts] {
  return [endpoint, counts];
}

function sealedRow({ endpoint, id, job, secret, secret_ref: ref, webhook }: SealedColumns): SealedRow {
  return { endpoint, id, job, secret: payloadOf(secret, ref), webhook: webhook ?? undefined };
}

function changeOf({ change, body, ...row }: RecordRow): RecordChange {
  return { change, kind: row.kind, id: row.id, record: body === null ? undefined : { ...row, body } };
}
