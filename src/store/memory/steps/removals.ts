import { permits } from "../../../domain/transitions.ts";
import { lastState } from "../../enqueue-step.ts";
import { notQueued } from "../../job-columns.ts";
import { keyOf } from "../../key-of.ts";
import { ORPHAN_AGE } from "../../named-payloads.ts";
import { TOMBSTONE_RETENTION } from "../../record-steps.ts";
import { ALL, type MemoryDatabase, recordKey } from "../memory-database.ts";
import { type MemoryJob, payloadsOf } from "../memory-job.ts";
import { recordJob } from "../past.ts";
import { firstOf } from "../table.ts";
import type { MemoryStepRunner } from "../transaction.ts";

export const purge: MemoryStepRunner<"purge"> = ({ endpoint, position, limit }, _now, context) => {
  const { database, transaction } = context;
  const isPurged = (job: MemoryJob): boolean => job.position <= position && permits("purge", job.state);
  const jobs = firstOf(database.jobsByHolder.ascending(keyOf(endpoint, "")), limit, isPurged);
  for (const job of jobs) {
    removeJob(job, database);
    transaction.count(endpoint, notQueued(job));
    transaction.signal("purge", endpoint, job.id, undefined);
  }
  return { ids: jobs.map(({ id }) => id) };
};

export const forget: MemoryStepRunner<"forget"> = (step, now, { database }) => {
  const { limit, contactsBefore, pastWorkersBefore, history } = step;
  const keys = firstOf(database.keysByEnd.ascending(ALL), limit, ({ until }) => until <= now);
  for (const { endpoint, key } of keys) database.keys.remove(keyOf(endpoint, key));
  const contacts = forgetContacts(contactsBefore, limit, database);
  const workers = firstOf(database.pastWorkersByTime.ascending(ALL), limit, ({ removedAt }) => {
    return removedAt < pastWorkersBefore;
  });
  for (const { endpoint, id } of workers) database.pastWorkers.remove(keyOf(endpoint, id));
  forgetTombstones(now - TOMBSTONE_RETENTION, database);
  const orphans = database.payloads.forgetUnnamed(now - ORPHAN_AGE, limit);
  const jobs = firstOf(
    database.jobsByDue.ascending("ended"),
    limit,
    (job) => job.due_at <= now && permits("forget", job.state),
  );
  for (const job of jobs) {
    if (history !== undefined) recordJob(job, history, database);
    removeJob(job, database);
  }
  const isFull = [keys.length, contacts, workers.length, orphans, jobs.length].includes(limit);
  return { count: jobs.length, hasMore: isFull || undefined };
};

function removeJob(job: MemoryJob, { jobs, keys, keysByJob, payloads }: MemoryDatabase): void {
  for (const payload of payloadsOf(job)) payloads.drop(payload);
  const key = keyOf(job.endpoint, job.id);
  const [known] = keysByJob.ascending(key);
  if (known !== undefined) keys.put({ ...known, state: lastState(job.state) });
  jobs.remove(key);
}

/** Workers that nobody has heard of since, and that hold no job. */
function forgetContacts(before: number, limit: number, database: MemoryDatabase): number {
  const gone = [];
  for (const contact of database.contactsByTime.ascending(ALL)) {
    if (contact.lastContact >= before || gone.length === limit) break;
    const key = keyOf(contact.endpoint, contact.worker);
    if (database.jobsByHolder.size(key) === 0) gone.push(key);
  }
  for (const key of gone) database.contacts.remove(key);
  return gone.length;
}

/** The newest row stays, because change numbers go on from it. */
function forgetTombstones(
  before: number,
  { records, recordsByChange, removedRecords }: MemoryDatabase,
): void {
  const [last] = recordsByChange.descending(ALL);
  const over = firstOf(removedRecords.ascending(ALL), Infinity, (row) => (row.removedAt ?? before) < before);
  for (const row of over) if (row !== last) records.remove(recordKey(row.kind, row.id));
}
