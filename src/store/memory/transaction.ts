import { KEPT_ATTEMPTS } from "../../domain/attempt.ts";
import { sizeOf } from "../../domain/payload.ts";
import { givenBackIn } from "../attempt-text.ts";
import { checkJob } from "../check-job.ts";
import type { JobColumns } from "../job-columns.ts";
import { bothContacts } from "../job-steps/contact.ts";
import type { JobPayloads, JobTransaction } from "../job-steps/job-transaction.ts";
import { newDelivery } from "../job-steps/new-delivery.ts";
import { keyOf } from "../key-of.ts";
import type { Signal } from "../signals.ts";
import type { MemoryDatabase } from "./memory-database.ts";
import { type MemoryJob, resultOf } from "./memory-job.ts";
import { copyIfAny, copyOf } from "./payloads.ts";

/** The rows of the database as the rules of steps see and change them. Signals are added to `signals`. */
export function memoryTransaction(database: MemoryDatabase, signals: Signal[]): JobTransaction {
  const { journal, counters, payloads, jobs, jobsByHolder, keys, contacts, deliveries } = database;

  function theJob({ endpoint, id }: JobColumns): MemoryJob {
    const job = jobs.get(keyOf(endpoint, id));
    if (job === undefined) throw new Error(`job ${id} is not there`);
    return job;
  }

  function write(job: MemoryJob): MemoryJob {
    checkJob(job);
    jobs.put(job);
    return job;
  }

  function replaced(job: MemoryJob, given: JobPayloads): JobPayloads {
    const result: { -readonly [Name in keyof JobPayloads]: JobPayloads[Name] } = {};
    for (const name of RESULT_NAMES) {
      if (!(name in given)) continue;
      const payload = given[name];
      result[name] = payload && payloads.keep(payload);
      payloads.drop(job[name]);
    }
    return result;
  }

  const signal: JobTransaction["signal"] = (event, endpoint, id, worker, details) =>
    void signals.push({ event, endpoint, id, worker, ...details });

  return {
    signal,
    hasEndpoint: (endpoint) => counters.has(endpoint),
    fill: (endpoint) => counters.of(endpoint) ?? { queued: 0, queuedBytes: 0 },
    count: (endpoint, change) => counters.add(endpoint, change),
    find: (endpoint, id) => jobs.get(keyOf(endpoint, id)),

    waiting(endpoint, count, may) {
      const found: MemoryJob[] = [];
      for (const job of jobsByHolder.ascending(keyOf(endpoint, ""))) {
        if (found.length === count) break;
        if (may(job)) found.push(job);
      }
      return found;
    },

    heldBy: (endpoint, worker) => [...jobsByHolder.ascending(keyOf(endpoint, worker))],

    insert(job, { body, secret }) {
      if (jobs.get(keyOf(job.endpoint, job.id)) !== undefined) {
        throw new Error(`job ${job.id} is there already`);
      }
      const submission = { body: payloads.keep(body), secret: secret && payloads.keep(secret) };
      const nothing = { output: undefined, error: undefined, progress: undefined };
      write({ ...job, ...submission, ...nothing, stored: [], attempts: [] });
    },

    change(job, columns, given = {}) {
      const before = theJob(job);
      return write({ ...before, ...columns, ...replaced(before, given) });
    },

    submission(job) {
      const { body, secret } = theJob(job);
      return { body: copyOf(body), secret: copyIfAny(secret) };
    },

    result: (job) => resultOf(theJob(job)),

    append(job, chunks) {
      const { stored } = theJob(job);
      const before = stored.length;
      for (const chunk of chunks) stored.push(payloads.keep(chunk));
      journal.note(() => {
        stored.length = before;
      });
    },

    chunks(job, start, limit, byteLimit) {
      let bytes = 0;
      const fitting = theJob(job)
        .stored.slice(start, start + limit)
        .filter((chunk) => {
          const isWithin = bytes < byteLimit;
          bytes += sizeOf(chunk);
          return isWithin;
        });
      return fitting.map(copyOf);
    },

    clearChunks(job) {
      const before = theJob(job);
      for (const chunk of before.stored) payloads.drop(chunk);
      jobs.put({ ...before, stored: [] });
    },

    keepAttempt(job, number, said) {
      const row = theJob(job);
      const known = row.attempts.find((attempt) => attempt.number === number);
      const ended = known?.ended ?? said.ended ?? null;
      const coldStart = known?.cold_start ?? said.cold_start ?? null;
      const output = known?.output ?? said.output ?? null;
      if ((ended ?? coldStart ?? output) === null) return;
      const others = row.attempts.filter(
        (attempt) => attempt.number !== number && attempt.number > number - KEPT_ATTEMPTS,
      );
      const attempts = [...others, { number, ended, cold_start: coldStart, output }];
      jobs.put({ ...row, attempts: attempts.toSorted((one, other) => one.number - other.number) });
    },

    givenBack: (job) => givenBackIn(theJob(job).attempts),

    replaceAttempt(job, number, ended) {
      const row = theJob(job);
      const attempts = row.attempts.map((attempt) =>
        attempt.number === number ? { ...attempt, ended } : attempt,
      );
      jobs.put({ ...row, attempts });
    },

    earlier(endpoint, key) {
      const known = keys.get(keyOf(endpoint, key));
      if (known === undefined) return undefined;
      const { id, digest, until } = known;
      const state = known.state ?? jobs.get(keyOf(endpoint, id))?.state;
      if (state === undefined) throw new Error(`job ${id} is gone, and its key does not know how it ended`);
      return { id, digest, until, state };
    },

    remember: ({ endpoint, key, id, digest, until }) =>
      keys.put({ endpoint, key, id, digest, until, state: undefined }),

    contact(contact) {
      const { endpoint, worker } = contact;
      const known = contacts.get(keyOf(endpoint, worker));
      const before = known && {
        endpoint,
        worker,
        at: known.lastContact,
        pings: known.pings,
        hungUp: known.hung_up,
        stray: known.stray_job,
      };
      const { at, pings, hungUp, stray } = before === undefined ? contact : bothContacts(before, contact);
      const isSameStray = contact.stray === null || contact.stray === known?.stray_job;
      const since = known !== undefined && isSameStray ? known.stray_since : contact.at;
      const now = { lastContact: at, pings, hung_up: hungUp, stray_job: stray, stray_since: since };
      contacts.put({ endpoint, worker, ...now });
    },

    deliver(ended) {
      const delivery = newDelivery(ended);
      if (delivery === undefined) return;
      const { output, error } = theJob(ended);
      const size = (output === undefined ? 0 : sizeOf(output)) + (error === undefined ? 0 : sizeOf(error));
      deliveries.put({
        ...delivery,
        state: "PENDING",
        owner: undefined,
        attempts: 0,
        started: 0,
        tried_at: null,
        status: null,
        reason: null,
        output: output && payloads.keep(output),
        error: error && payloads.keep(error),
        size,
      });
      signal("deliver", ended.endpoint, delivery.id, undefined);
    },
  };
}

const RESULT_NAMES = ["output", "error", "progress"] as const;
