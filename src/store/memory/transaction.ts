import { KEPT_ATTEMPTS } from "../../domain/attempt.ts";
import type { JobResult } from "../../domain/job.ts";
import type { GivenBackAttempt } from "../../domain/late-result.ts";
import { type Payload, sizeOf } from "../../domain/payload.ts";
import type { QueueFill } from "../../domain/queue-cap.ts";
import { type AttemptTexts, givenBackIn } from "../attempt-text.ts";
import { checkJob } from "../check-job.ts";
import type { JobColumns, NewJob } from "../job-columns.ts";
import { bothContacts, type Contact } from "../job-steps/contact.ts";
import type {
  JobPayloads,
  JobTransaction,
  KnownSubmission,
  NewKey,
  Submission,
} from "../job-steps/job-transaction.ts";
import { newDelivery } from "../job-steps/new-delivery.ts";
import { keyOf } from "../key-of.ts";
import type { Signal, SignalDetails } from "../signals.ts";
import type { Step, StepAnswers } from "../steps.ts";
import type { Counts } from "../store.ts";
import type { MemoryContact, MemoryDatabase } from "./memory-database.ts";
import { type MemoryJob, resultOf } from "./memory-job.ts";
import { copyIfAny, copyOf } from "./payloads.ts";
import { removePast } from "./past.ts";

export interface MemoryStepContext {
  readonly database: MemoryDatabase;
  readonly transaction: JobTransaction;
}

/** Runs a step. Throwing undoes the whole call that the step belongs to. */
export type MemoryStepRunner<Kind extends Step["step"]> = (
  step: Extract<Step, { step: Kind }>,
  now: number,
  context: MemoryStepContext,
) => StepAnswers[Kind];

/** The rows of the database as the rules of steps see and change them. Signals are added to `signals`. */
export class MemoryTransaction implements JobTransaction {
  readonly #database: MemoryDatabase;
  readonly #signals: Signal[];

  constructor(database: MemoryDatabase, signals: Signal[]) {
    this.#database = database;
    this.#signals = signals;
  }

  hasEndpoint(endpoint: string): boolean {
    return this.#database.counters.has(endpoint);
  }

  fill(endpoint: string): QueueFill {
    return this.#database.counters.of(endpoint) ?? { queued: 0, queuedBytes: 0 };
  }

  count(endpoint: string, change: Partial<Counts>): void {
    this.#database.counters.add(endpoint, change);
  }

  signal(
    event: Signal["event"],
    endpoint: string,
    id: string,
    worker: string | undefined,
    details?: SignalDetails,
  ): void {
    this.#signals.push({ event, endpoint, id, worker, ...details });
  }

  find(endpoint: string, id: string): MemoryJob | undefined {
    return this.#database.jobs.get(keyOf(endpoint, id));
  }

  waiting(endpoint: string, count: number, may: (job: JobColumns) => boolean): readonly MemoryJob[] {
    const found: MemoryJob[] = [];
    for (const job of this.#database.jobsByHolder.ascending(keyOf(endpoint, ""))) {
      if (found.length === count) break;
      if (may(job)) found.push(job);
    }
    return found;
  }

  heldBy(endpoint: string, worker: string): readonly MemoryJob[] {
    return [...this.#database.jobsByHolder.ascending(keyOf(endpoint, worker))];
  }

  insert(job: NewJob, { body, secret }: Submission): void {
    const { payloads } = this.#database;
    if (this.find(job.endpoint, job.id) !== undefined) throw new Error(`job ${job.id} is there already`);
    const submission = { body: payloads.keep(body), secret: secret && payloads.keep(secret) };
    const nothing = { output: undefined, error: undefined, progress: undefined };
    this.#write({ ...job, ...submission, ...nothing, stored: [], attempts: [] });
  }

  change(job: JobColumns, columns: Partial<JobColumns>, given: JobPayloads = {}): MemoryJob {
    const before = this.#jobOf(job);
    return this.#write({ ...before, ...columns, ...this.#replaced(before, given) });
  }

  submission(job: JobColumns): Submission {
    const { body, secret } = this.#jobOf(job);
    return { body: copyOf(body), secret: copyIfAny(secret) };
  }

  result(job: JobColumns): JobResult {
    return resultOf(this.#jobOf(job));
  }

  append(job: JobColumns, chunks: readonly Payload[]): void {
    const { payloads, journal } = this.#database;
    const { stored } = this.#jobOf(job);
    const before = stored.length;
    for (const chunk of chunks) stored.push(payloads.keep(chunk));
    journal.note(() => {
      stored.length = before;
    });
  }

  chunks(job: JobColumns, start: number, limit: number, byteLimit: number): readonly Payload[] {
    let bytes = 0;
    const fitting = this.#jobOf(job)
      .stored.slice(start, start + limit)
      .filter((chunk) => {
        const isWithin = bytes < byteLimit;
        bytes += sizeOf(chunk);
        return isWithin;
      });
    return fitting.map(copyOf);
  }

  clearChunks(job: JobColumns): void {
    const { payloads, jobs } = this.#database;
    const before = this.#jobOf(job);
    for (const chunk of before.stored) payloads.drop(chunk);
    jobs.put({ ...before, stored: [] });
  }

  keepAttempt(job: JobColumns, number: number, said: Partial<AttemptTexts>): void {
    const row = this.#jobOf(job);
    const known = row.attempts.find((attempt) => attempt.number === number);
    const ended = known?.ended ?? said.ended ?? null;
    const coldStart = known?.cold_start ?? said.cold_start ?? null;
    const output = known?.output ?? said.output ?? null;
    if ((ended ?? coldStart ?? output) === null) return;
    const others = row.attempts.filter(
      (attempt) => attempt.number !== number && attempt.number > number - KEPT_ATTEMPTS,
    );
    const attempts = [...others, { number, ended, cold_start: coldStart, output }];
    attempts.sort((one, other) => one.number - other.number);
    this.#database.jobs.put({ ...row, attempts });
  }

  givenBack(job: JobColumns): readonly GivenBackAttempt[] {
    return givenBackIn(this.#jobOf(job).attempts);
  }

  replaceAttempt(job: JobColumns, number: number, ended: string): void {
    const row = this.#jobOf(job);
    const attempts = row.attempts.map((attempt) =>
      attempt.number === number ? { ...attempt, ended } : attempt,
    );
    this.#database.jobs.put({ ...row, attempts });
  }

  earlier(endpoint: string, key: string): KnownSubmission | undefined {
    const known = this.#database.keys.get(keyOf(endpoint, key));
    if (known === undefined) return undefined;
    const { id, digest, until } = known;
    const state = known.state ?? this.find(endpoint, id)?.state;
    if (state === undefined) throw new Error(`job ${id} is gone, and its key does not know how it ended`);
    return { id, digest, until, state };
  }

  remember({ endpoint, key, id, digest, until }: NewKey): void {
    this.#database.keys.put({ endpoint, key, id, digest, until, state: undefined });
  }

  contact(contact: Contact): void {
    const { contacts } = this.#database;
    const { endpoint, worker } = contact;
    const known = contacts.get(keyOf(endpoint, worker));
    const { at, pings, hungUp, stray } =
      known === undefined ? contact : bothContacts(contactIn(known), contact);
    const isSameStray = contact.stray === null || contact.stray === known?.stray_job;
    const since = known !== undefined && isSameStray ? known.stray_since : contact.at;
    const now = { lastContact: at, pings, hung_up: hungUp, stray_job: stray, stray_since: since };
    contacts.put({ endpoint, worker, ...now });
  }

  removePast({ endpoint, id }: JobColumns): void {
    const past = this.#database.past.get(keyOf(endpoint, id));
    if (past !== undefined) removePast(past, this.#database);
  }

  deliver(ended: JobColumns): void {
    const { payloads, deliveries } = this.#database;
    const delivery = newDelivery(ended);
    if (delivery === undefined) return;
    const { output, error } = this.#jobOf(ended);
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
    this.signal("deliver", ended.endpoint, delivery.id, undefined);
  }

  #jobOf({ endpoint, id }: JobColumns): MemoryJob {
    const job = this.find(endpoint, id);
    if (job === undefined) throw new Error(`job ${id} is not there`);
    return job;
  }

  #write(job: MemoryJob): MemoryJob {
    checkJob(job);
    this.#database.jobs.put(job);
    return job;
  }

  #replaced(job: MemoryJob, given: JobPayloads): JobPayloads {
    const { payloads } = this.#database;
    const result: { -readonly [Name in keyof JobPayloads]: JobPayloads[Name] } = {};
    for (const name of RESULT_NAMES) {
      if (!(name in given)) continue;
      const payload = given[name];
      result[name] = payload && payloads.keep(payload);
      payloads.drop(job[name]);
    }
    return result;
  }
}

const RESULT_NAMES = ["output", "error", "progress"] as const;

function contactIn(row: MemoryContact): Contact {
  const { endpoint, worker, lastContact, pings, hung_up: hungUp, stray_job: stray } = row;
  return { endpoint, worker, at: lastContact, pings, hungUp, stray };
}
