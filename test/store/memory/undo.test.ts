import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { type MemoryDatabase, newMemoryDatabase } from "../../../src/store/memory/memory-database.ts";
import { openMemoryStore } from "../../../src/store/memory/memory-store.ts";
import type { Step } from "../../../src/store/steps.ts";
import { property } from "../../contract/property.ts";
import { queueOn, START } from "../../contract/queue.ts";
import { randomCommand, stepOfCommand } from "../../contract/random-command.ts";
import { endpointRecord } from "../../model/endpoint-record.ts";
import { memoryFaults } from "../../support/memory-faults.ts";

/** Every position is new, and the call fails behind so many steps. */
const calls = fc.array(fc.array(randomCommand, { minLength: 1, maxLength: 8 }), { maxLength: 25 });

const PAST = { host: "host", gpus: [], startedAt: undefined };
const ALLOCATION = { host: "host", devices: [{ device: "gpu", card: "gpu" }] };

test("P1: whatever the steps of a call that fails, rows and indexes are as before", async () => {
  await property(calls, 150, async (all) => {
    const database = newMemoryDatabase();
    const store = await openMemoryStore({ database });
    const { endpoint, steps } = await queueOn(store);
    const large = await store.writePayload(new Uint8Array(70_000));
    await store.apply([steps.enqueue("taken", 0, { body: large })], START);
    let position = 1;
    let now = START;
    const others: readonly Step[] = [
      { step: "put", record: endpointRecord("new") },
      { step: "remove", kind: "endpoint", id: "new" },
      { step: "put", record: { ...endpointRecord("worker"), kind: "worker" }, allocation: ALLOCATION },
      { step: "remove", kind: "worker", id: "worker", past: { ...PAST, endpoint } },
      { step: "addStatistics", server: "server", slots: [] },
      steps.cancel("taken"),
      steps.purge(1_000_000),
      { step: "forget", limit: 100, contactsBefore: START * 2, pastWorkersBefore: START * 2 },
    ];
    for (const commands of all) {
      const call = commands.map((command) => {
        now += command.wait;
        const jobOf = (id: string) => {
          const job = database.jobs.get(`${endpoint}\n${id}`);
          return job && { attempt: job.attempt, worker: job.worker ?? undefined };
        };
        return stepOfCommand(command, steps, jobOf, position++, now);
      });
      const before = contentOf(database);

      const failing = [...call, ...others, steps.enqueue("taken", 0), steps.enqueue("taken", 0)];
      expect(await settled(store.apply(failing, now))).toBe("rejected");
      expect(contentOf(database)).toEqual(before);

      await settled(store.apply(call, now));
      expect(memoryFaults(database)).toEqual([]);
    }
  });
}, 60_000);

async function settled(call: Promise<unknown>): Promise<string> {
  const [{ status }] = await Promise.allSettled([call]);
  return status;
}

/** Each row, counter and payload, and each index in its order. */
function contentOf(database: MemoryDatabase) {
  const { counters, payloads } = database;
  const { jobs, keys, contacts, deliveries, records, allocations, pastWorkers, statistics } = database;
  const all = [jobs, keys, contacts, deliveries, records, allocations, pastWorkers, statistics];
  const tables = all.map((table) => [...table.all()].map((row) => JSON.stringify(row)).toSorted());
  const indexes = Object.entries(database).flatMap(([name, member]) =>
    isIndex(member)
      ? [...member.groups()].toSorted().map((group) => [name, group, [...member.ascending(group)]])
      : [],
  );
  return { tables, indexes, counts: new Map(counters.all()), names: new Map(payloads.names()) };
}

function isIndex(member: unknown): member is MemoryDatabase["jobsById"] {
  return typeof member === "object" && member !== null && "groups" in member;
}
