import { isStored, type Payload, sizeOf } from "../../domain/payload.ts";
import type { QueueFill } from "../../domain/queue-cap.ts";
import type { GivenBackAttempt } from "../../domain/late-result.ts";
import { type AttemptTexts, givenBackIn } from "../attempt-text.ts";
import type { EarlierSubmission } from "../enqueue-step.ts";
import type { Counts, Signal, SignalDetails } from "../store.ts";
import type { NewAttempt, ReplacedAttempt } from "./postgres-attempts.ts";
import { type NewDelivery, newDelivery } from "./postgres-new-deliveries.ts";
import { bothContacts, type Contact } from "./postgres-contact.ts";
import type { JobRow } from "./postgres-job-row.ts";
import type { KnownRow } from "./postgres-known-rows.ts";
import { columnsOf, fileOf, type PayloadColumns } from "./postgres-payload-columns.ts";
import { type WaitingRows, waitingRows } from "./postgres-waiting-rows.ts";

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

export interface NewKey extends EarlierSubmission {
  readonly endpoint: string;
  readonly key: string;
  readonly until: number;
}

/** What steps have in hand and have changed; nothing of it is written before `writeUnit`. */
export interface Unit {
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

  hasEndpoint(endpoint: string): boolean;
  find(endpoint: string, id: string): JobRow | undefined;
  /** Jobs that the worker holds, in the order of the queue. */
  heldBy(endpoint: string, worker: string): JobRow[];
  readonly waiting: WaitingRows;
  /** A row that a statement has locked and read; one that is there already stays, with what is new of it. */
  adopt(row: JobRow): void;
  /** A row that this server has written, and nobody has locked; `adopt` replaces it. */
  adoptKnown(known: KnownRow): void;
  adoptEndpoint(endpoint: string): void;
  adoptFill(endpoint: string, fill: QueueFill): void;
  /** What waits, with what the unit changes of it; known only where a step has a cap. */
  fill(endpoint: string): QueueFill;
  insert(row: JobRow): void;
  change(row: JobRow, change: Partial<JobRow>): JobRow;
  clearChunks(row: JobRow): void;
  append(row: JobRow, chunks: readonly Payload[]): void;
  /** The columns that stand for a payload which a row names from now on. */
  keep(payload: Payload | undefined): PayloadColumns;
  drop(ref: string | null): void;
  count(endpoint: string, change: Partial<Counts>): void;
  signal(
    event: Signal["event"],
    endpoint: string,
    id: string,
    worker: string | undefined,
    details?: SignalDetails,
  ): void;
  /** The webhook of a job that has just ended, if it has one. */
  deliver(ended: JobRow): void;
  /** Keeps what is said of an attempt of the job, unless it is known already. */
  keepAttempt(row: JobRow, number: number, said: Partial<AttemptTexts>): void;
  /** Attempts of a job that were read because a result of one of them may have come. */
  adoptAttempts(endpoint: string, id: string, attempts: readonly AttemptTexts[]): void;
  /** Those of the job that are over, the oldest first, with those that the unit itself has ended. */
  givenBack(row: JobRow): GivenBackAttempt[];
  replaceAttempt(row: JobRow, number: number, ended: string): void;
  contact(contact: Contact): void;
  submission(endpoint: string, key: string): (EarlierSubmission & { readonly until: number }) | undefined;
  adoptSubmission(endpoint: string, key: string, found: EarlierSubmission & { until: number }): void;
  remember(key: NewKey): void;
}

/** Names a row of an endpoint; endpoints have no such character. */
export function keyOf(endpoint: string, id: string): string {
  return `${endpoint}\n${id}`;
}

export function newUnit(): Unit {
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
  const submissions = new Map<string, EarlierSubmission & { readonly until: number }>();
  const endpoints = new Set<string>();
  const fills = new Map<string, QueueFill>();
  const waiting = waitingRows((endpoint, id) => jobs.get(keyOf(endpoint, id))?.row);

  function keep(payload: Payload | undefined): PayloadColumns {
    if (payload !== undefined && isStored(payload)) named.push(payload.file);
    return columnsOf(payload);
  }

  function change(row: JobRow, changes: Partial<JobRow>): JobRow {
    const tracked = jobs.get(keyOf(row.endpoint, row.id));
    if (tracked === undefined) throw new Error(`job ${row.id} was changed without being locked`);
    tracked.row = { ...tracked.row, ...changes };
    if (changes.holder === "") waiting.add(tracked.row);
    return tracked.row;
  }

  return {
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
    drained: new Map(),
    waiting,
    keep,
    change,

    hasEndpoint: (endpoint) => endpoints.has(endpoint),
    find: (endpoint, id) => jobs.get(keyOf(endpoint, id))?.row,

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

    insert(row) {
      const key = keyOf(row.endpoint, row.id);
      if (jobs.has(key)) throw new Error(`job ${row.id} is there already`);
      jobs.set(key, { row, before: undefined, version: undefined });
      if (row.holder === "") waiting.add(row);
    },

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
      let bytes = row.chunk_bytes;
      for (const [index, chunk] of chunks.entries()) {
        const size = sizeOf(chunk);
        bytes += size;
        const number = row.chunks + index;
        newChunks.push({ endpoint: row.endpoint, job: row.id, number, size, columns: keep(chunk) });
      }
      if (chunks.length > 0) change(row, { chunks: row.chunks + chunks.length, chunk_bytes: bytes });
    },

    drop(ref) {
      if (ref !== null) dropped.push(fileOf(ref));
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

    deliver(ended) {
      const delivery = newDelivery(ended);
      if (delivery === undefined) return;
      newDeliveries.push(delivery);
      for (const ref of [ended.output_ref, ended.error_ref]) if (ref !== null) named.push(fileOf(ref));
      signals.push({ event: "deliver", endpoint: ended.endpoint, id: delivery.id, worker: undefined });
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

    submission(endpoint, key) {
      const found = submissions.get(keyOf(endpoint, key));
      const row = found && jobs.get(keyOf(endpoint, found.id))?.row;
      return found && { ...found, state: row?.state ?? found.state };
    },

    adoptSubmission: (endpoint, key, found) => void submissions.set(keyOf(endpoint, key), found),

    remember(key) {
      newKeys.set(keyOf(key.endpoint, key.key), key);
      const { id, digest, state, until } = key;
      submissions.set(keyOf(key.endpoint, key.key), { id, digest, state, until });
    },
  };
}
