import type { RecordChange, RecordKind } from "../configuration-record.ts";
import { type ContactRow, contactOf } from "../contact-row.ts";
import type { Counts, Queue, Store, WorkerContact } from "../store.ts";
import { array, type Parameter, type Pool } from "./postgres-driver.ts";
import { orUnavailable } from "./postgres-failure.ts";

type RecordReads = Pick<
  Store,
  "queues" | "counts" | "allCounts" | "workers" | "workersOf" | "changesSince" | "latestTime"
>;

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

/** The reads of everything that is not a job. */
export function postgresReadRecords(pool: Pool): RecordReads {
  async function rows<Row>(text: string, parameters: readonly Parameter[]): Promise<Row[]> {
    return orUnavailable(pool.query<Row>(text, parameters));
  }

  async function workersOf(
    endpoints: readonly string[],
    since: number,
  ): Promise<Map<string, WorkerContact[]>> {
    const found = await rows<EndpointContactRow>(SELECT_WORKERS, [array(endpoints, "text"), since]);
    const byEndpoint = new Map<string, WorkerContact[]>();
    for (const row of found) {
      const contacts = byEndpoint.get(row.endpoint) ?? [];
      contacts.push(contactOf(row));
      byEndpoint.set(row.endpoint, contacts);
    }
    return byEndpoint;
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

    async counts(endpoint) {
      const [row] = await rows<CountsRow>(SELECT_COUNTS, [endpoint]);
      return row && countsOf(row)[1];
    },

    async allCounts() {
      return new Map((await rows<CountsRow>(SELECT_ALL_COUNTS, [])).map(countsOf));
    },

    workersOf,

    async workers(endpoint, since) {
      return (await workersOf([endpoint], since)).get(endpoint) ?? [];
    },

    async changesSince(change) {
      return (await rows<RecordRow>(SELECT_CHANGES, [change])).map(changeOf);
    },

    async latestTime() {
      const [row] = await rows<{ latest: number }>(SELECT_LATEST_TIME, []);
      return row?.latest ?? 0;
    },
  };
}

function countsOf({ endpoint, ...counts }: CountsRow): [endpoint: string, counts: Counts] {
  return [endpoint, counts];
}

function changeOf({ change, body, ...row }: RecordRow): RecordChange {
  return { change, kind: row.kind, id: row.id, record: body === null ? undefined : { ...row, body } };
}
