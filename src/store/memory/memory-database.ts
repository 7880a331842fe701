import type { Payload } from "../../domain/payload.ts";
import type { SlotWidth } from "../../domain/statistics.ts";
import type { AllocatedDevice } from "../allocations.ts";
import type { RecordKind } from "../configuration-record.ts";
import type { ContactRow } from "../contact-row.ts";
import type { HistoryColumns } from "../history-row.ts";
import type { ClaimRow } from "../delivery-row.ts";
import { keyOf } from "../key-of.ts";
import type { PastWorker } from "../past-workers.ts";
import type { Signal } from "../signals.ts";
import type { ServerWord, SharedRate } from "../store.ts";
import { type MemoryCounters, memoryCounters } from "./counters.ts";
import { Journal, JournaledMap } from "./journal.ts";
import type { KeyRow, MemoryJob } from "./memory-job.ts";
import { type MemoryPayloads, memoryPayloads } from "./payloads.ts";
import { compareTexts, type Index, newTable, type Table } from "./table.ts";

export interface MemoryContact extends Omit<ContactRow, "running" | "runningLowPriority"> {
  readonly endpoint: string;
  readonly pings: boolean;
  readonly hung_up: boolean | null;
}

export interface MemoryDelivery extends ClaimRow {
  readonly owner: string | undefined;
  readonly output: Payload | undefined;
  readonly error: Payload | undefined;
  /** Of both together, bytes. */
  readonly size: number;
}

export interface RecordRow {
  readonly kind: RecordKind;
  readonly id: string;
  readonly account: string;
  readonly name: string | null;
  readonly version: number;
  readonly change: number;
  /** Undefined: the record was removed, at this time. */
  readonly body: string | undefined;
  readonly removedAt: number | undefined;
}

export interface StatisticsRow {
  readonly endpoint: string;
  readonly width: SlotWidth;
  readonly at: number;
  readonly server: string;
  readonly figures: string;
}

export interface MemoryPast extends HistoryColumns {
  /** Its place in the order in which records were written. */
  readonly number: number;
  readonly size: number;
  /** What was submitted, if it is kept. */
  readonly input: Payload | undefined;
}

/** A store that is open on the database. */
export interface Member {
  readonly server: string;
  hear(signals: readonly Signal[]): void;
}

/**
 * The data of a memory store: it stays when a store on it is closed, or crashes. Nothing in it reads a clock
 * or draws a random number, so that the same steps in the same order make the same data.
 */
export interface MemoryDatabase {
  readonly journal: Journal;
  readonly counters: MemoryCounters;
  readonly payloads: MemoryPayloads;

  readonly jobs: Table<MemoryJob>;
  /** By endpoint and holder, in the order of the queue: those that wait have an empty one. */
  readonly jobsByHolder: Index<MemoryJob>;
  /** By endpoint, in the order of the queue. */
  readonly jobsRunning: Index<MemoryJob>;
  /** By endpoint, in the order of ids. */
  readonly jobsById: Index<MemoryJob>;
  /** Those that are `unfinished`, and those that have `ended`, in the order of their deadlines. */
  readonly jobsByDue: Index<MemoryJob>;

  readonly keys: Table<KeyRow>;
  /** By endpoint and id of jobs that are there. */
  readonly keysByJob: Index<KeyRow>;
  readonly keysByEnd: Index<KeyRow>;

  readonly contacts: Table<MemoryContact>;
  readonly contactsByEndpoint: Index<MemoryContact>;
  readonly contactsByTime: Index<MemoryContact>;

  readonly deliveries: Table<MemoryDelivery>;
  readonly deliveriesById: Index<MemoryDelivery>;
  /** By receiver, those that are pending. */
  readonly deliveriesByReceiver: Index<MemoryDelivery>;
  readonly deliveriesByOwner: Index<MemoryDelivery>;
  /** Those that have ended, in the order in which they go. */
  readonly deliveriesByEnd: Index<MemoryDelivery>;

  readonly records: Table<RecordRow>;
  readonly recordsByChange: Index<RecordRow>;
  /** By kind, account and name, those that are there. */
  readonly recordsByName: Index<RecordRow>;
  /** By kind and account, those that are there. */
  readonly recordsByAccount: Index<RecordRow>;
  readonly removedRecords: Index<RecordRow>;

  readonly allocations: Table<AllocatedDevice>;
  /** In the order of their UUIDs. */
  readonly allocationsByDevice: Index<AllocatedDevice>;

  readonly pastWorkers: Table<PastWorker>;
  readonly pastWorkersByEndpoint: Index<PastWorker>;
  /** In the order in which they go. */
  readonly pastWorkersByTime: Index<PastWorker>;
  readonly past: Table<MemoryPast>;
  /** By endpoint, in the order of ends. */
  readonly pastByEnd: Index<MemoryPast>;
  /** In the order in which they were written. */
  readonly pastByNumber: Index<MemoryPast>;
  /** Bytes of all of them, under the name `ALL`. */
  readonly pastSize: JournaledMap<number>;
  readonly pastTrimmedTo: JournaledMap<number>;

  readonly statistics: Table<StatisticsRow>;
  /** By endpoint and width, in the order of time. */
  readonly statisticsBySlot: Index<StatisticsRow>;
  /** By width, in the order of time. */
  readonly statisticsByTime: Index<StatisticsRow>;

  /** The largest time of any step. */
  latestTime: number;

  readonly members: Set<Member>;
  /** Which server has each hold, and until when. */
  readonly holds: Map<string, { readonly server: string; readonly until: number }>;
  readonly words: Map<string, ServerWord>;
  readonly rates: Map<string, SharedRate>;
}

/** The one group of an index that all rows stand in. */
export const ALL = "";

export function newMemoryDatabase(): MemoryDatabase {
  const journal = new Journal();
  return {
    journal,
    counters: memoryCounters(journal),
    payloads: memoryPayloads(journal),
    ...jobTables(journal),
    ...deliveryTable(journal),
    ...recordTables(journal),
    ...pastTable(journal),
    latestTime: 0,
    members: new Set(),
    holds: new Map(),
    words: new Map(),
    rates: new Map(),
  };
}

function jobTables(journal: Journal) {
  const jobs = newTable<MemoryJob>(journal, ({ endpoint, id }) => keyOf(endpoint, id));
  const keys = newTable<KeyRow>(journal, ({ endpoint, key }) => keyOf(endpoint, key));
  const contacts = newTable<MemoryContact>(journal, ({ endpoint, worker }) => keyOf(endpoint, worker));
  return {
    jobs,
    // A priority of jobs would come before the position here.
    jobsByHolder: jobs.index({
      group: ({ endpoint, holder }) => (holder === null ? undefined : keyOf(endpoint, holder)),
      compare: (one, other) => one.position - other.position,
    }),
    jobsRunning: jobs.index({
      group: ({ endpoint, state }) => (state === "IN_PROGRESS" ? endpoint : undefined),
      compare: (one, other) => one.position - other.position,
    }),
    jobsById: jobs.index({
      group: ({ endpoint }) => endpoint,
      compare: (one, other) => compareTexts(one.id, other.id),
    }),
    jobsByDue: jobs.index({
      group: ({ ended_at: endedAt }) => (endedAt === null ? "unfinished" : "ended"),
      compare: (one, other) => one.due_at - other.due_at,
    }),
    keys,
    keysByJob: keys.index({
      group: ({ endpoint, id, state }) => (state === undefined ? keyOf(endpoint, id) : undefined),
      compare: () => 0,
    }),
    keysByEnd: keys.index({ group: () => ALL, compare: (one, other) => one.until - other.until }),
    contacts,
    contactsByEndpoint: contacts.index({ group: ({ endpoint }) => endpoint, compare: () => 0 }),
    contactsByTime: contacts.index({
      group: () => ALL,
      compare: (one, other) => one.lastContact - other.lastContact,
    }),
  };
}

function deliveryTable(journal: Journal) {
  const deliveries = newTable<MemoryDelivery>(journal, ({ endpoint, id }) => keyOf(endpoint, id));
  const byDue = (one: MemoryDelivery, other: MemoryDelivery): number => one.due_at - other.due_at;
  return {
    deliveries,
    deliveriesById: deliveries.index({
      group: ({ endpoint }) => endpoint,
      compare: (one, other) => compareTexts(one.id, other.id),
    }),
    deliveriesByReceiver: deliveries.index({
      group: ({ state, receiver }) => (state === "PENDING" ? receiver : undefined),
      compare: byDue,
    }),
    deliveriesByOwner: deliveries.index({ group: ({ owner }) => owner, compare: () => 0 }),
    deliveriesByEnd: deliveries.index({
      group: ({ state }) => (state === "PENDING" ? undefined : ALL),
      compare: byDue,
    }),
  };
}

function recordTables(journal: Journal) {
  const records = newTable<RecordRow>(journal, ({ kind, id }) => recordKey(kind, id));
  const allocations = newTable<AllocatedDevice>(journal, ({ device }) => device);
  const pastWorkers = newTable<PastWorker>(journal, ({ endpoint, id }) => keyOf(endpoint, id));
  const statistics = newTable<StatisticsRow>(journal, statisticsKey);
  const byTime = (one: StatisticsRow, other: StatisticsRow): number => one.at - other.at;
  return {
    records,
    recordsByChange: records.index({ group: () => ALL, compare: (one, other) => one.change - other.change }),
    recordsByName: records.index({
      group: ({ kind, account, name, body }) =>
        name === null || body === undefined ? undefined : nameKey(kind, account, name),
      compare: () => 0,
    }),
    recordsByAccount: records.index({
      group: ({ kind, account, body }) => (body === undefined ? undefined : recordKey(kind, account)),
      compare: () => 0,
    }),
    removedRecords: records.index({
      group: ({ removedAt }) => (removedAt === undefined ? undefined : ALL),
      compare: (one, other) => (one.removedAt ?? 0) - (other.removedAt ?? 0),
    }),
    allocations,
    // Rows that `compare` does not tell apart are in the order of their keys.
    allocationsByDevice: allocations.index({ group: () => ALL, compare: () => 0 }),
    pastWorkers,
    pastWorkersByEndpoint: pastWorkers.index({ group: ({ endpoint }) => endpoint, compare: () => 0 }),
    pastWorkersByTime: pastWorkers.index({
      group: () => ALL,
      compare: (one, other) => one.removedAt - other.removedAt,
    }),
    statistics,
    statisticsBySlot: statistics.index({
      group: ({ endpoint, width }) => keyOf(endpoint, String(width)),
      compare: byTime,
    }),
    statisticsByTime: statistics.index({ group: ({ width }) => String(width), compare: byTime }),
  };
}

function pastTable(journal: Journal) {
  const past = newTable<MemoryPast>(journal, ({ endpoint, id }) => keyOf(endpoint, id));
  return {
    past,
    pastByEnd: past.index({
      group: ({ endpoint }) => endpoint,
      compare: (one, other) => one.ended_at - other.ended_at || compareTexts(one.id, other.id),
    }),
    pastByNumber: past.index({ group: () => ALL, compare: (one, other) => one.number - other.number }),
    pastSize: new JournaledMap<number>(journal),
    pastTrimmedTo: new JournaledMap<number>(journal),
  };
}

export function recordKey(kind: RecordKind, id: string): string {
  return `${kind}\n${id}`;
}

export function nameKey(kind: RecordKind, account: string, name: string): string {
  return `${kind}\n${account}\n${name}`;
}

export function statisticsKey({ endpoint, width, at, server }: Omit<StatisticsRow, "figures">): string {
  return `${endpoint}\n${width}\n${at}\n${server}`;
}
