import type { AllocatedDevice } from "../allocations.ts";
import type { RecordChange, RecordKind } from "../configuration-record.ts";
import { type ContactRow, contactOf } from "../contact-row.ts";
import type { Queue, Store } from "../store.ts";
import { ALLOCATIONS } from "./sqlite-allocations.ts";
import { prepare } from "./sqlite-driver.ts";
import { sqliteReadPastWorkers } from "./sqlite-past-workers.ts";
import type { Tables } from "./sqlite-tables.ts";

interface RecordRow {
  readonly kind: RecordKind;
  readonly id: string;
  readonly account: string;
  readonly name: string | null;
  readonly version: number;
  readonly change: number;
  readonly body: string | null;
}

/** Reads everything that is not a job. */
export function sqliteReadRecords({ database, counters }: Tables) {
  const selectQueues = prepare<Queue, []>(
    database,
    "SELECT endpoint, queued, queued_low_priority AS queuedLowPriority FROM counter WHERE queued > 0",
  );
  const selectWorkers = prepare<ContactRow, [endpoint: string, since: number]>(
    database,
    `SELECT contact.worker AS worker, last_contact AS lastContact, count(job.seq) AS running,
            coalesce(sum(job.low_priority), 0) AS runningLowPriority, pings, hung_up, stray_job, stray_since
     FROM contact LEFT JOIN job
       ON job.endpoint = contact.endpoint AND job.holder = contact.worker AND job.state = 'IN_PROGRESS'
     WHERE contact.endpoint = ?1
     GROUP BY contact.worker HAVING last_contact >= ?2 OR running > 0`,
  );
  const selectChanges = prepare<RecordRow, [change: number]>(
    database,
    "SELECT kind, id, account, name, version, change, body FROM record WHERE change > ?1 ORDER BY change",
  );
  const selectAllocations = prepare<AllocatedDevice, []>(database, ALLOCATIONS);
  const selectLatestTime = prepare<{ latest: number }, []>(database, "SELECT latest FROM clock");

  return {
    ...sqliteReadPastWorkers(database),

    async queues() {
      return selectQueues.all();
    },

    async counts(endpoint) {
      return counters.of(endpoint);
    },

    async allCounts() {
      return counters.all();
    },

    async workers(endpoint, since) {
      return selectWorkers.all(endpoint, since).map(contactOf);
    },

    async workersOf(endpoints, since) {
      const all = endpoints.map((endpoint) => {
        return [endpoint, selectWorkers.all(endpoint, since).map(contactOf)] as const;
      });
      return new Map(all.filter(([, contacts]) => contacts.length > 0));
    },

    async changesSince(change) {
      return selectChanges.all(change).map(changeOf);
    },

    async allocations() {
      return selectAllocations.all();
    },

    async latestTime() {
      return selectLatestTime.get()?.latest ?? 0;
    },
  } satisfies Partial<Store>;
}

function changeOf({ change, body, ...row }: RecordRow): RecordChange {
  return { change, kind: row.kind, id: row.id, record: body === null ? undefined : { ...row, body } };
}
