import { parseFigures } from "../../domain/figures.ts";
import type { DeliveryState } from "../../domain/delivery.ts";
import { contactOf } from "../contact-row.ts";
import { deliveryOf } from "../delivery-row.ts";
import { keyOf } from "../key-of.ts";
import type { PastWorker } from "../past-workers.ts";
import type { DeliveriesPage, Store, WorkerContact } from "../store.ts";
import { ALL, type MemoryDatabase } from "./memory-database.ts";
import { runningOf } from "./read-jobs.ts";
import { firstOf } from "./table.ts";

/** The reads of everything that is not a job. */
export function readRecords(database: MemoryDatabase) {
  const { counters } = database;

  return {
    async queues() {
      const waiting = [...counters.all()].filter(([, { queued }]) => queued > 0);
      return waiting.map(([endpoint, { queued, queuedLowPriority }]) => ({
        endpoint,
        queued,
        queuedLowPriority,
      }));
    },

    counts: async (endpoint) => counters.of(endpoint),
    allCounts: async () => new Map(counters.all()),
    workers: async (endpoint, since) => workersOf(database, endpoint, since),

    async workersOf(endpoints, since) {
      const all = endpoints.map((endpoint) => [endpoint, workersOf(database, endpoint, since)] as const);
      return new Map(all.filter(([, contacts]) => contacts.length > 0));
    },

    async changesSince(since) {
      const changes = database.recordsByChange.ascending(ALL, ({ change }) => change <= since);
      return [...changes].map(({ change, body, removedAt: _removedAt, ...row }) => {
        const record = body === undefined ? undefined : { ...row, body };
        return { change, kind: row.kind, id: row.id, record };
      });
    },

    allocations: async () => [...database.allocationsByDevice.ascending(ALL)],
    pastWorkers: async (endpoint, ids) => pastWorkersOf(database, endpoint, ids),
    latestTime: async () => database.latestTime,

    async statistics(endpoint, width, from) {
      const slots = database.statisticsBySlot.ascending(
        keyOf(endpoint, String(width)),
        ({ at }) => at < from,
      );
      return [...slots].map(({ at, figures }) => ({ endpoint, width, at, figures: parseFigures(figures) }));
    },

    async fronts(endpoints) {
      const fronts = new Map<string, number>();
      for (const endpoint of endpoints) {
        const [front] = database.jobsByHolder.ascending(keyOf(endpoint, ""));
        if (front !== undefined) fronts.set(endpoint, front.queued_at);
      }
      return fronts;
    },

    deliveries: async (endpoint, state, before, limit, looked) =>
      deliveriesPage(database, endpoint, state, before, limit, looked),

    async delivery(endpoint, id) {
      const row = database.deliveries.get(keyOf(endpoint, id));
      return row && deliveryOf(row);
    },
  } satisfies Partial<Store>;
}

function workersOf(database: MemoryDatabase, endpoint: string, since: number): WorkerContact[] {
  const workers: WorkerContact[] = [];
  for (const contact of database.contactsByEndpoint.ascending(endpoint)) {
    const held = runningOf(database, endpoint, contact.worker);
    if (contact.lastContact < since && held.length === 0) continue;
    const runningLowPriority = held.filter((job) => job.low_priority).length;
    workers.push(contactOf({ ...contact, running: held.length, runningLowPriority }));
  }
  return workers;
}

function pastWorkersOf(
  { pastWorkers }: MemoryDatabase,
  endpoint: string,
  ids: readonly string[],
): PastWorker[] {
  return ids.flatMap((id) => pastWorkers.get(keyOf(endpoint, id)) ?? []);
}

function deliveriesPage(
  { deliveriesById }: MemoryDatabase,
  endpoint: string,
  state: DeliveryState | undefined,
  before: string | undefined,
  limit: number,
  looked: number,
): DeliveriesPage {
  const below = deliveriesById.descending(endpoint, ({ id }) => before === undefined || id < before);
  // One more than `limit`, to see whether another one follows.
  const all = firstOf(below, state === undefined ? limit + 1 : looked);
  const floor = state === undefined || all.length < looked ? undefined : all.at(-1)?.id;
  const found = state === undefined ? all : all.filter((row) => row.state === state);
  const page = found.slice(0, limit);
  return { deliveries: page.map(deliveryOf), next: found.length > limit ? page.at(-1)?.id : floor };
}
