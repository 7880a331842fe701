import { isStored, type Payload, sizeOf } from "../../domain/payload.ts";
import type { QueueFill } from "../../domain/queue-cap.ts";
import { type AttemptTexts, givenBackIn } from "../attempt-text.ts";
import type { JobName } from "../history-steps.ts";
import type { JobColumns, NewJob } from "../job-columns.ts";
import { bothContacts, type Contact } from "../job-steps/contact.ts";
import type {
  JobPayloads,
  JobTransaction,
  KnownSubmission,
  NewKey,
  Submission,
} from "../job-steps/job-transaction.ts";
import { keyOf } from "../key-of.ts";
import type { Step, StepAnswers } from "../steps.ts";
import type { Signal, SignalDetails } from "../signals.ts";
import type { Counts } from "../store.ts";
import type { NewAttempt, ReplacedAttempt } from "./postgres-attempts.ts";
import { type NewDelivery, newDeliveryRow } from "./postgres-deliveries.ts";
import type { Connection } from "./postgres-driver.ts";
import { type CachedRow, type JobRow, newRow, resultOf, type TrackedJob } from "./postgres-job-row.ts";
import { columnsOf, fileOf, type PayloadColumns, payloadOf } from "./postgres-payload-columns.ts";
import { waitingRows } from "./postgres-waiting-rows.ts";

export interface NewChunk {
  readonly endpoint: string;
  readonly job: string;
  readonly number: number;
  readonly size: number;
  readonly content: Uint8Array | null;
  readonly ref: string | null;
}

/** What the steps of a transaction have read and changed. `writeTransaction` writes it. */
export class Transaction implements JobTransaction {
  readonly jobs = new Map<string, TrackedJob>();
  readonly counts = new Map<string, Record<keyof Counts, number> & { readonly endpoint: string }>();
  readonly signals: Signal[] = [];
  readonly newChunks: NewChunk[] = [];
  readonly newDeliveries: NewDelivery[] = [];
  readonly newAttempts = new Map<string, NewAttempt>();
  /** Attempts that were given back and have brought the result after all. */
  readonly replacedAttempts: ReplacedAttempt[] = [];
  /** Jobs whose chunks so far are deleted. */
  readonly cleared = new Map<string, JobName>();
  /** Files of payloads that rows name from now on, and those that rows no longer name: once for each row. */
  readonly named: string[] = [];
  readonly dropped: string[] = [];
  /** Jobs that run again, and are no longer in the history. */
  readonly notPast: JobName[] = [];
  readonly contacts = new Map<string, Contact>();
  readonly newKeys = new Map<string, NewKey>();
  /** The chunks that a drain asked for; it is the only one of its job. */
  readonly drained = new Map<string, readonly Payload[]>();
  /** Whether payloads in rows carry their digest. */
  readonly isDigested: boolean;
  readonly #attempts = new Map<string, readonly AttemptTexts[]>();
  readonly #submissions = new Map<string, KnownSubmission>();
  readonly #endpoints = new Set<string>();
  readonly #fills = new Map<string, QueueFill>();
  readonly #waiting = waitingRows((endpoint, id) => this.find(endpoint, id));

  constructor(isDigested: boolean) {
    this.isDigested = isDigested;
  }

  /** A row that a statement has locked and read; one that is there already stays, with what is new of it. */
  adopt(row: JobRow): void {
    const key = keyOf(row.endpoint, row.id);
    const before = this.jobs.get(key)?.row;
    const known = before === undefined ? row : { ...before, ...row };
    this.jobs.set(key, { row: known, before: known, version: undefined });
    if (row.holder === "") this.#waiting.add(known);
  }

  /** A row that this server has written, and nobody has locked; `adopt` replaces it. */
  adoptCached({ row, version }: CachedRow): void {
    this.jobs.set(keyOf(row.endpoint, row.id), { row, before: row, version });
  }

  adoptEndpoint(endpoint: string): void {
    this.#endpoints.add(endpoint);
  }

  adoptFill(endpoint: string, fill: QueueFill): void {
    this.#fills.set(endpoint, fill);
  }

  /** Attempts of a job that were read because a result of one of them may have come. */
  adoptAttempts(endpoint: string, id: string, attempts: readonly AttemptTexts[]): void {
    this.#attempts.set(keyOf(endpoint, id), attempts);
  }

  adoptEarlier(endpoint: string, key: string, found: KnownSubmission): void {
    this.#submissions.set(keyOf(endpoint, key), found);
  }

  hasEndpoint(endpoint: string): boolean {
    return this.#endpoints.has(endpoint);
  }

  fill(endpoint: string): QueueFill {
    const found = this.#fills.get(endpoint);
    const change = this.counts.get(endpoint);
    return {
      queued: (found?.queued ?? 0) + (change?.queued ?? 0),
      queuedBytes: (found?.queuedBytes ?? 0) + (change?.queuedBytes ?? 0),
    };
  }

  find(endpoint: string, id: string): JobRow | undefined {
    return this.jobs.get(keyOf(endpoint, id))?.row;
  }

  waiting(endpoint: string, count: number, may: (job: JobColumns) => boolean): readonly JobRow[] {
    return this.#waiting.first(endpoint, count, may);
  }

  heldBy(endpoint: string, worker: string): readonly JobRow[] {
    const rows = [...this.jobs.values()].map((tracked) => tracked.row);
    const held = rows.filter((row) => row.endpoint === endpoint && row.holder === worker);
    return held.toSorted((a, b) => a.position - b.position);
  }

  insert(job: NewJob, submission: Submission): void {
    const key = keyOf(job.endpoint, job.id);
    if (this.jobs.has(key)) throw new Error(`job ${job.id} is there already`);
    const row = newRow(job, this.keep(submission.body), this.keep(submission.secret));
    this.jobs.set(key, { row, before: undefined, version: undefined });
    if (row.holder === "") this.#waiting.add(row);
  }

  change(job: JobColumns, columns: Partial<JobColumns>, payloads?: JobPayloads): JobRow {
    const tracked = this.#tracked(job);
    const row = { ...tracked.row, ...columns };
    if (payloads !== undefined) Object.assign(row, this.#replaced(tracked.row, payloads));
    tracked.row = row;
    if (columns.holder === "") this.#waiting.add(row);
    return row;
  }

  submission(job: JobColumns): Submission {
    const { row } = this.#tracked(job);
    const body = payloadOf(row.body, row.body_ref);
    if (body === undefined) throw new Error(`job ${row.id} is handed out, and its body was not read`);
    return { body, secret: payloadOf(row.secret, row.secret_ref) };
  }

  result(job: JobColumns) {
    return resultOf(this.#tracked(job).row);
  }

  append({ endpoint, id, chunks: before }: JobColumns, chunks: readonly Payload[]): void {
    for (const [index, chunk] of chunks.entries()) {
      const place = { endpoint, job: id, number: before + index };
      this.newChunks.push({ ...place, size: sizeOf(chunk), ...this.keep(chunk) });
    }
  }

  chunks({ endpoint, id }: JobColumns): readonly Payload[] {
    return this.drained.get(keyOf(endpoint, id)) ?? [];
  }

  clearChunks({ endpoint, id, chunks }: JobColumns): void {
    if (chunks === 0) return;
    this.cleared.set(keyOf(endpoint, id), { endpoint, id });
    for (let at = this.newChunks.length - 1; at >= 0; at--) {
      const chunk = this.newChunks[at];
      if (chunk?.endpoint !== endpoint || chunk.job !== id) continue;
      this.newChunks.splice(at, 1);
      this.drop(chunk.ref);
    }
  }

  /** The columns that stand for a payload which a row names from now on. */
  keep(payload: Payload | undefined): PayloadColumns {
    if (payload !== undefined && isStored(payload)) this.named.push(payload.file);
    return columnsOf(payload, this.isDigested);
  }

  /** A row no longer names this payload. */
  drop(ref: string | null): void {
    if (ref !== null) this.dropped.push(fileOf(ref));
  }

  keepAttempt({ endpoint, id }: JobColumns, number: number, said: Partial<AttemptTexts>): void {
    const key = `${keyOf(endpoint, id)}\n${number}`;
    const known = this.newAttempts.get(key);
    const ended = known?.ended ?? said.ended ?? null;
    const coldStart = known?.cold_start ?? said.cold_start ?? null;
    const output = known?.output ?? said.output ?? null;
    if ((ended ?? coldStart ?? output) === null) return;
    this.newAttempts.set(key, { endpoint, job: id, number, ended, cold_start: coldStart, output });
  }

  givenBack({ endpoint, id }: JobColumns) {
    const own = [...this.newAttempts.values()].filter((one) => one.endpoint === endpoint && one.job === id);
    const ofUnit = new Set(own.map(({ number }) => number));
    const read = (this.#attempts.get(keyOf(endpoint, id)) ?? []).filter(({ number }) => !ofUnit.has(number));
    return givenBackIn([...read, ...own].toSorted((a, b) => a.number - b.number));
  }

  replaceAttempt({ endpoint, id }: JobColumns, number: number, ended: string): void {
    const key = `${keyOf(endpoint, id)}\n${number}`;
    const own = this.newAttempts.get(key);
    if (own !== undefined) this.newAttempts.set(key, { ...own, ended });
    else this.replacedAttempts.push({ endpoint, job: id, number, ended });
  }

  earlier(endpoint: string, key: string): KnownSubmission | undefined {
    const found = this.#submissions.get(keyOf(endpoint, key));
    return found && { ...found, state: this.find(endpoint, found.id)?.state ?? found.state };
  }

  remember(key: NewKey): void {
    this.newKeys.set(keyOf(key.endpoint, key.key), key);
    const { id, digest, state, until } = key;
    this.adoptEarlier(key.endpoint, key.key, { id, digest, state, until });
  }

  contact(contact: Contact): void {
    const key = keyOf(contact.endpoint, contact.worker);
    const known = this.contacts.get(key);
    this.contacts.set(key, known === undefined ? contact : bothContacts(known, contact));
  }

  count(endpoint: string, changes: Partial<Counts>): void {
    const tally = this.counts.get(endpoint) ?? { endpoint, ...NO_COUNTS };
    this.counts.set(endpoint, tally);
    for (const [field, by] of Object.entries(changes)) {
      // The entries of a Partial<Counts> are its fields.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      tally[field as keyof Counts] += by;
    }
  }

  signal(
    event: Signal["event"],
    endpoint: string,
    id: string,
    worker: string | undefined,
    details?: SignalDetails,
  ): void {
    this.signals.push({ event, endpoint, id, worker, ...details });
  }

  removePast({ endpoint, id }: JobColumns): void {
    this.notPast.push({ endpoint, id });
  }

  deliver(ended: JobColumns): void {
    const { row } = this.#tracked(ended);
    const delivery = newDeliveryRow(row);
    if (delivery === undefined) return;
    this.newDeliveries.push(delivery);
    for (const ref of [row.output_ref, row.error_ref]) if (ref !== null) this.named.push(fileOf(ref));
    this.signal("deliver", row.endpoint, delivery.id, undefined);
  }

  #tracked({ endpoint, id }: JobName): TrackedJob {
    const tracked = this.jobs.get(keyOf(endpoint, id));
    if (tracked === undefined) throw new Error(`job ${id} was changed without being locked`);
    return tracked;
  }

  /** What the row gets instead of the payloads that are named. */
  #replaced(row: JobRow, payloads: JobPayloads): Partial<JobRow> {
    const changes: Partial<JobRow> = {};
    for (const name of RESULT_NAMES) {
      if (!(name in payloads)) continue;
      const { content, ref } = this.keep(payloads[name]);
      Object.assign(changes, { [name]: content, [`${name}_ref`]: ref });
      this.drop(row[`${name}_ref`]);
    }
    return changes;
  }
}

/** Runs a step that finds and changes its rows itself, inside the open transaction and alone in it. */
export type LoneStepRunner<Kind extends Step["step"]> = (
  step: Extract<Step, { step: Kind }>,
  now: number,
  transaction: Transaction,
  connection: Connection,
) => Promise<StepAnswers[Kind]>;

const NO_COUNTS: Counts = {
  queued: 0,
  queuedLowPriority: 0,
  queuedBytes: 0,
  running: 0,
  completed: 0,
  failed: 0,
  retried: 0,
  ignored: 0,
};

const RESULT_NAMES = ["output", "error", "progress"] as const;
