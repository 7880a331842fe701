import { keptAttempt } from "../attempt-text.ts";
import { jobOf } from "../job-columns.ts";
import { keyOf } from "../key-of.ts";
import { sealedPage, type SealedPlace, type SealedRow } from "../sealed-values.ts";
import type { SilentJob, Store, StoredTimeline } from "../store.ts";
import { ALL, type MemoryDatabase } from "./memory-database.ts";
import { type MemoryJob, recordOf } from "./memory-job.ts";
import { copyIfAny, copyOf } from "./payloads.ts";
import { readHistory } from "./read-history.ts";
import { submittedJobs } from "./submitted-jobs.ts";
import { compareTexts, firstOf, type Index } from "./table.ts";

/** The reads of jobs, also of those in the history. They run between commits, so each is one snapshot. */
export function readJobs(database: MemoryDatabase) {
  const { jobs, jobsByHolder, jobsByDue } = database;

  return {
    async job(endpoint, id) {
      const job = jobs.get(keyOf(endpoint, id));
      return job && recordOf(job);
    },

    async timeline(endpoint, id, looked) {
      const job = jobs.get(keyOf(endpoint, id));
      return job && timelineOf(database, job, looked);
    },

    async body(endpoint, id) {
      const job = jobs.get(keyOf(endpoint, id));
      return job && copyOf(job.body);
    },

    async due(now, limit) {
      return firstOf(jobsByDue.ascending("unfinished"), limit, (job) => job.due_at <= now).map(jobOf);
    },

    silent: async (before, limit) => silentJobs(database, before).slice(0, limit),

    held: async (endpoint, worker) => runningOf(database, endpoint, worker).map(jobOf),

    async unfinished(endpoint, state, before, limit) {
      const isBefore = (job: MemoryJob): boolean => job.position < before;
      const found =
        state === "IN_QUEUE"
          ? jobsByHolder.descending(keyOf(endpoint, ""), isBefore)
          : database.jobsRunning.descending(endpoint, isBefore);
      return firstOf(found, limit).map(jobOf);
    },

    async waitingSince(endpoint, limit, looked) {
      const first = firstOf(jobsByHolder.ascending(keyOf(endpoint, "")), looked);
      const counted = first.filter((job) => !job.low_priority).slice(0, limit);
      return counted.map((job) => job.queued_at);
    },

    submitted: submittedJobs(database),
    ...readHistory(database),

    async stopping(endpoint, worker) {
      return endedOf(database, endpoint, worker).map(({ id }) => id);
    },

    async sealed(table, after, looked) {
      const rows =
        table === "job"
          ? behind(database.jobsById, after, looked).map(sealedJob)
          : behind(database.deliveriesById, after, looked);
      return sealedPage(table, rows, looked);
    },
  } satisfies Partial<Store>;
}

/** The job as `Store.timeline` shows it. */
function timelineOf({ jobsByHolder }: MemoryDatabase, job: MemoryJob, looked: number): StoredTimeline {
  const { barred, barred_until: until, position, holder } = job;
  const waiting = jobsByHolder.ascending(keyOf(job.endpoint, ""));
  return {
    job: recordOf(job),
    lowPriority: job.low_priority,
    ttl: job.ttl,
    chunks: job.chunks,
    chunkBytes: job.chunk_bytes,
    hasWebhook: job.receiver !== null,
    barred: barred === null || until === null ? undefined : { worker: barred, until },
    attempts: job.attempts.map(keptAttempt),
    ahead: holder === "" ? firstOf(waiting, looked, (other) => other.position < position).length : 0,
  };
}

/** Jobs that have ended and that the worker still runs. */
export function endedOf({ jobsByHolder }: MemoryDatabase, endpoint: string, worker: string): MemoryJob[] {
  if (worker === "") return [];
  return [...jobsByHolder.ascending(keyOf(endpoint, worker))].filter((job) => job.ended_at !== null);
}

export function runningOf({ jobsByHolder }: MemoryDatabase, endpoint: string, worker: string): MemoryJob[] {
  const held = [...jobsByHolder.ascending(keyOf(endpoint, worker))];
  return held.filter(({ state }) => state === "IN_PROGRESS");
}

function silentJobs(database: MemoryDatabase, before: number): SilentJob[] {
  const silent = firstOf(database.contactsByTime.ascending(ALL), Infinity, (row) => row.lastContact < before);
  return silent.flatMap(({ endpoint, worker, pings, hung_up: hungUp, lastContact }) => {
    const hasHungUp = hungUp === true;
    return runningOf(database, endpoint, worker)
      .filter((job) => (hasHungUp ? (job.taken_at ?? 0) <= lastContact : pings))
      .map((job) => ({ job: jobOf(job), hasHungUp }));
  });
}

function sealedJob({ endpoint, id, secret, webhook }: MemoryJob): SealedRow {
  return { endpoint, id, job: id, secret: copyIfAny(secret), webhook: webhook ?? undefined };
}

/** The first `looked` rows behind a place, in the order of endpoints and ids. */
function behind<Row extends { readonly endpoint: string; readonly id: string }>(
  index: Index<Row>,
  after: SealedPlace | undefined,
  looked: number,
): Row[] {
  const rows: Row[] = [];
  for (const endpoint of [...index.groups()].toSorted(compareTexts)) {
    if (after !== undefined && endpoint < after.endpoint) continue;
    const skips = ({ id }: Row): boolean => endpoint === after?.endpoint && id <= after.id;
    rows.push(...firstOf(index.ascending(endpoint, skips), looked - rows.length));
  }
  return rows;
}
