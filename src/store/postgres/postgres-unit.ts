import { isStored, type Payload, sizeOf } from "../../domain/payload.ts";
import type { QueueFill } from "../../domain/queue-cap.ts";
import { type AttemptTexts, givenBackIn } from "../attempt-text.ts";
import type { JobColumns } from "../job-columns.ts";
import { bothContacts, type Contact } from "../job-steps/contact.ts";
import type { JobPayloads, JobTransaction, KnownSubmission, NewKey } from "../job-steps/job-transaction.ts";
import { keyOf } from "../key-of.ts";
import type { Counts, Signal } from "../store.ts";
import type { NewAttempt, ReplacedAttempt } from "./postgres-attempts.ts";
import { type NewDelivery, newDeliveryRow } from "./postgres-new-deliveries.ts";
import { type JobRow, type KnownRow, newRow, resultOf } from "./postgres-job-row.ts";
import { columnsOf, fileOf, type PayloadColumns, payloadOf } from "./postgres-payload-columns.ts";
import { waitingRows } from "./postgres-waiting-rows.ts";

/** A row as it will be, beside what it was when it was locked; undefined: it is new. */
export interface TrackedJob {
  row: JobRow;
  readonly before: JobRow | undefined;
  /** Where the row was not locked: it may be written only if it is still that of this transaction. */
  readonly version: string | undefined;
}

export interface NewChunk {
  readonly endpoint: string;
  readonly job: string;
  readonly number: number;
  readonly size: number;
  readonly columns: PayloadColumns;
}

/** What steps have in hand and have changed; nothing of it is written before `writeUnit`. */
export interface Unit extends JobTransaction {
  readonly jobs: ReadonlyMap<string, TrackedJob>;
  readonly counts: ReadonlyMap<string, Partial<Counts>>;
  readonly signals: readonly Signal[];
  readonly newChunks: readonly NewChunk[];
  readonly newDeliveries: readonly NewDelivery[];
  readonly newAttempts: ReadonlyMap<string, NewAttempt>;
  /** Attempts that were given back and have brought the result after all. */
  readonly replacedAttempts: readonly ReplacedAttempt[];
  /** Jobs whose chunks so far go, by endpoint and id. */
  readonly cleared: ReadonlyMap<string, { readonly endpoint: string; readonly id: string }>;
  /** Files of payloads that rows name from now on, and those that rows no longer name: once for each row. */
  readonly named: readonly string[];
  readonly dropped: readonly string[];
  readonly contacts: ReadonlyMap<string, Contact>;
  readonly newKeys: ReadonlyMap<string, NewKey>;
  /** The chunks that a drain asked for; it is the only one of its job. */
  readonly drained: Map<string, readonly Payload[]>;

  find(endpoint: string, id: string): JobRow | undefined;
  /** A row that a statement has locked and read; one that is there already stays, with what is new of it. */
  adopt(row: JobRow): void;
  /** A row that this server has written, and nobody has locked; `adopt` replaces it. */
  adoptKnown(known: KnownRow): void;
  adoptEndpoint(endpoint: string): void;
  adoptFill(endpoint: string, fill: QueueFill): void;
  /** Whether payloads in rows carry their digest. */
  readonly isDigested: boolean;
  /** The columns that stand for a payload which a row names from now on. */
  keep(payload: Payload | undefined): PayloadColumns;
  drop(ref: string | null): void;
  /** Attempts of a job that were read because a result of one of them may have come. */
  adoptAttempts(endpoint: string, id: string, attempts: readonly AttemptTexts[]): void;
  adoptEarlier(endpoint: string, key: string, found: KnownSubmission): void;
}

/** `isDigested`: whether payloads in rows carry their digest. */
export function newUnit(isDigested: boolean): Unit {
  const jobs = new Map<string, TrackedJob>();
  const counts = new Map<string, Partial<Record<keyof Counts, number>>>();
  const signals: Signal[] = [];
  const newChunks: NewChunk[] = [];
  const newDeliveries: NewDelivery[] = [];
  const newAttempts = new Map<string, NewAttempt>();
  const replacedAttempts: ReplacedAttempt[] = [];
  const readAttempts = new Map<string, readonly AttemptTexts[]>();
  const cleared = new Map<string, { readonly endpoint: string; readonly id: string }>();
  const named: string[] = [];
  const dropped: string[] = [];
  const contacts = new Map<string, Contact>();
  const newKeys = new Map<string, NewKey>();
  const submissions = new Map<string, KnownSubmission>();
  const endpoints = new Set<string>();
  const fills = new Map<string, QueueFill>();
  const drained = new Map<string, readonly Payload[]>();
  const waiting = waitingRows((endpoint, id) => jobs.get(keyOf(endpoint, id))?.row);

  function trackedJob({ endpoint, id }: Pick<JobColumns, "endpoint" | "id">): TrackedJob {
    const tracked = jobs.get(keyOf(endpoint, id));
    if (tracked === undefined) throw new Error(`job ${id} was changed without being locked`);
    return tracked;
  }

  function keep(payload: Payload | undefined): PayloadColumns {
    if (payload !== undefined && isStored(payload)) named.push(payload.file);
    return columnsOf(payload, isDigested);
  }

  function drop(ref: string | null): void {
    if (ref !== null) dropped.push(fileOf(ref));
  }

  function replaced(row: JobRow, payloads: JobPayloads): Partial<JobRow> {
    const changes: Partial<JobRow> = {};
    for (const name of RESULT_NAMES) {
      if (!(name in payloads)) continue;
      Object.assign(changes, COLUMNS_OF[name](keep(payloads[name])));
      drop(row[`${name}_ref`]);
    }
    return changes;
  }

  function deliver(ended: JobColumns): void {
    const { row } = trackedJob(ended);
    const delivery = newDeliveryRow(row);
    if (delivery === undefined) return;
    newDeliveries.push(delivery);
    for (const ref of [row.output_ref, row.error_ref]) if (ref !== null) named.push(fileOf(ref));
    signals.push({ event: "deliver", endpoint: row.endpoint, id: delivery.id, worker: undefined });
  }

  return {
    isDigested,
    jobs,
    counts,
    signals,
    newChunks,
    newDeliveries,
    newAttempts,
    replacedAttempts,
    cleared,
    named,
    dropped,
    contacts,
    newKeys,
    drained,
    keep,
    drop,
    deliver,

    hasEndpoint: (endpoint) => endpoints.has(endpoint),
    find: (endpoint, id) => jobs.get(keyOf(endpoint, id))?.row,

    waiting: (endpoint, count, may) => waiting.first(endpoint, count, may),

    heldBy(endpoint, worker) {
      const rows = [...jobs.values()].map((tracked) => tracked.row);
      const held = rows.filter((row) => row.endpoint === endpoint && row.holder === worker);
      return held.toSorted((a, b) => a.position - b.position);
    },

    adopt(row) {
      const key = keyOf(row.endpoint, row.id);
      const before = jobs.get(key)?.row;
      const known = before === undefined ? row : { ...before, ...row };
      jobs.set(key, { row: known, before: known, version: undefined });
      if (row.holder === "") waiting.add(known);
    },

    adoptKnown({ row, version }) {
      jobs.set(keyOf(row.endpoint, row.id), { row, before: row, version });
    },

    adoptEndpoint: (endpoint) => void endpoints.add(endpoint),
    adoptFill: (endpoint, fill) => void fills.set(endpoint, fill),

    fill(endpoint) {
      const found = fills.get(endpoint);
      const change = counts.get(endpoint);
      return {
        queued: (found?.queued ?? 0) + (change?.queued ?? 0),
        queuedBytes: (found?.queuedBytes ?? 0) + (change?.queuedBytes ?? 0),
      };
    },

    insert(job, submission) {
      const key = keyOf(job.endpoint, job.id);
      if (jobs.has(key)) throw new Error(`job ${job.id} is there already`);
      const row = newRow(job, keep(submission.body), keep(submission.secret));
      jobs.set(key, { row, before: undefined, version: undefined });
      if (row.holder === "") waiting.add(row);
    },

    change(job, columns, payloads = {}) {
      const tracked = trackedJob(job);
      tracked.row = { ...tracked.row, ...columns, ...replaced(tracked.row, payloads) };
      if (columns.holder === "") waiting.add(tracked.row);
      return tracked.row;
    },

    submission(job) {
      const { row } = trackedJob(job);
      const body = payloadOf(row.body, row.body_ref);
      if (body === undefined) throw new Error(`job ${row.id} is handed out, and its body was not read`);
      return { body, secret: payloadOf(row.secret, row.secret_ref) };
    },

    result: (job) => resultOf(trackedJob(job).row),
    chunks: ({ endpoint, id }) => drained.get(keyOf(endpoint, id)) ?? [],

    clearChunks(row) {
      const key = keyOf(row.endpoint, row.id);
      if (row.chunks === 0) return;
      cleared.set(key, { endpoint: row.endpoint, id: row.id });
      for (let at = newChunks.length - 1; at >= 0; at--) {
        const chunk = newChunks[at];
        if (chunk?.endpoint !== row.endpoint || chunk.job !== row.id) continue;
        newChunks.splice(at, 1);
        if (chunk.columns.ref !== null) dropped.push(fileOf(chunk.columns.ref));
      }
    },

    append(row, chunks) {
      for (const [index, chunk] of chunks.entries()) {
        const number = row.chunks + index;
        const columns = keep(chunk);
        newChunks.push({ endpoint: row.endpoint, job: row.id, number, size: sizeOf(chunk), columns });
      }
    },

    count(endpoint, changes) {
      const tally = counts.get(endpoint) ?? {};
      counts.set(endpoint, tally);
      for (const [field, by] of Object.entries(changes)) {
        // The entries of a Partial<Counts> are its fields.
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        const name = field as keyof Counts;
        tally[name] = (tally[name] ?? 0) + by;
      }
    },

    signal(event, endpoint, id, worker, details) {
      signals.push({ event, endpoint, id, worker, ...details });
    },

    keepAttempt({ endpoint, id }, number, said) {
      const key = `${keyOf(endpoint, id)}\n${number}`;
      const known = newAttempts.get(key);
      const ended = known?.ended ?? said.ended ?? null;
      const coldStart = known?.cold_start ?? said.cold_start ?? null;
      const output = known?.output ?? said.output ?? null;
      if ((ended ?? coldStart ?? output) === null) return;
      newAttempts.set(key, { endpoint, job: id, number, ended, cold_start: coldStart, output });
    },

    adoptAttempts: (endpoint, id, attempts) => void readAttempts.set(keyOf(endpoint, id), attempts),

    givenBack({ endpoint, id }) {
      const own = [...newAttempts.values()].filter((one) => one.endpoint === endpoint && one.job === id);
      const ofUnit = new Set(own.map(({ number }) => number));
      const read = (readAttempts.get(keyOf(endpoint, id)) ?? []).filter(({ number }) => !ofUnit.has(number));
      return givenBackIn([...read, ...own].toSorted((a, b) => a.number - b.number));
    },

    replaceAttempt({ endpoint, id }, number, ended) {
      const key = `${keyOf(endpoint, id)}\n${number}`;
      const own = newAttempts.get(key);
      if (own !== undefined) newAttempts.set(key, { ...own, ended });
      else replacedAttempts.push({ endpoint, job: id, number, ended });
    },

    contact(contact) {
      const key = keyOf(contact.endpoint, contact.worker);
      const known = contacts.get(key);
      contacts.set(key, known === undefined ? contact : bothContacts(known, contact));
    },

    earlier(endpoint, key) {
      const found = submissions.get(keyOf(endpoint, key));
      const row = found && jobs.get(keyOf(endpoint, found.id))?.row;
      return found && { ...found, state: row?.state ?? found.state };
    },

    adoptEarlier: (endpoint, key, found) => void submissions.set(keyOf(endpoint, key), found),

    remember(key) {
      newKeys.set(keyOf(key.endpoint, key.key), key);
      const { id, digest, state, until } = key;
      submissions.set(keyOf(key.endpoint, key.key), { id, digest, state, until });
    },
  };
}

const RESULT_NAMES = ["output", "error", "progress"] as const;

const COLUMNS_OF = {
  output: ({ content, ref }: PayloadColumns) => ({ output: content, output_ref: ref }),
  error: ({ content, ref }: PayloadColumns) => ({ error: content, error_ref: ref }),
  progress: ({ content, ref }: PayloadColumns) => ({ progress: content, progress_ref: ref }),
};
