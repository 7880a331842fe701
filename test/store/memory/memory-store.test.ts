import { describe, expect, test } from "bun:test";
import { isStored } from "../../../src/domain/payload.ts";
import { storageFull } from "../../../src/domain/errors.ts";
import { newMemoryDatabase } from "../../../src/store/memory/memory-database.ts";
import {
  type MemorySharing,
  type MemoryStore,
  openMemoryStore,
} from "../../../src/store/memory/memory-store.ts";
import type { Signal } from "../../../src/store/signals.ts";
import { OWNER } from "../../contract/job-in-state.ts";
import { queueOn, START } from "../../contract/queue.ts";
import { bytes } from "../../model/bytes.ts";
import { memoryFaults } from "../../support/memory-faults.ts";

describe("several servers on one database in memory", () => {
  test("each sees what the other has committed, and is notified of it", async () => {
    const { one, other, heard } = await twoServers();
    const queue = await queueOn(one);
    await queue.send(queue.steps.enqueue("a", 1));
    const [jobs] = await other.apply([queue.steps.take(OWNER)], START);
    expect(jobs.map(({ id }) => id)).toEqual(["a"]);
    await other.apply([queue.steps.append("a", OWNER, [bytes("1")])], START + 1);

    const { endpoint } = queue;
    expect(heard("one")).toEqual([
      { event: "take", endpoint, id: "a", worker: OWNER },
      { event: "append", endpoint, id: "a", worker: OWNER },
    ]);
    expect(heard("other")).toEqual([
      { event: "put", endpoint, id: endpoint, worker: undefined },
      { event: "enqueue", endpoint, id: "a", worker: undefined },
    ]);
  });

  test("a job that was taken in the commit that stored it, and a delivery, notify nobody", async () => {
    const { one, heard } = await twoServers();
    const queue = await queueOn(one);
    const webhook = { sealed: bytes("sealed"), receiver: "receiver:443" };
    await queue.sendAll([queue.steps.enqueue("a", 1, { webhook }), queue.steps.take(OWNER)]);
    await queue.send(queue.steps.finish("complete", "a", { worker: OWNER }));

    expect(heard("other").map(({ event }) => event)).toEqual(["put", "take", "complete"]);
  });

  test("the network decides when and whether signals arrive", async () => {
    const onTheWay: (() => void)[] = [];
    const { one, heard } = await twoServers((_to, signals, arrive) => {
      if (signals.some(({ id }) => id !== "lost")) onTheWay.push(arrive);
    });
    const queue = await queueOn(one);
    for (const id of ["lost", "late", "later"]) await queue.send(queue.steps.enqueue(id, 1));

    expect(heard("other")).toEqual([]);
    for (const arrive of onTheWay.toReversed()) arrive();
    expect(heard("other").map(({ id }) => id)).toEqual(["later", "late", queue.endpoint]);
  });

  test("a store that is closed or has crashed gets no signal, and the others go on", async () => {
    for (const end of ["close", "crash"] as const) {
      const { one, other, heard } = await twoServers();
      const queue = await queueOn(one);
      await other[end]();
      await queue.send(queue.steps.enqueue("a", 1));
      expect(heard("other").map(({ event }) => event)).toEqual(["put"]);
      expect(await one.counts(queue.endpoint)).toMatchObject({ queued: 1 });
    }
  });
});

describe("a crash of a server in memory", () => {
  test("what was committed is there, and what was not has never happened", async () => {
    const database = newMemoryDatabase();
    const store = await openMemoryStore({ database });
    const queue = await queueOn(store);
    await queue.send(queue.steps.enqueue("before", 1));
    let isAnswered = false;
    const cut = queue.send(queue.steps.enqueue("cut", 2)).finally(() => {
      isAnswered = true;
    });
    store.crash();
    const again = await openMemoryStore({ database });
    await again.apply([], START);
    void cut;

    expect(isAnswered).toBe(false);
    expect(await again.counts(queue.endpoint)).toMatchObject({ queued: 1 });
    expect(await again.job(queue.endpoint, "cut")).toBeUndefined();
  });

  test("P14: time goes on from the last commit, also if the server crashed before it answered", async () => {
    const database = newMemoryDatabase();
    let commit: () => void = () => undefined;
    const store = await openMemoryStore({
      database,
      schedule: (next) => {
        commit = next;
      },
      onCommit: (mark) => {
        if (mark === "end") throw new Error("killed");
      },
    });
    void queueOn(store);
    expect(commit).toThrow("killed");
    store.crash();
    const again = await openMemoryStore({ database });

    expect(await again.changesSince(0)).toHaveLength(1);
    expect(await again.latestTime()).toBe(START);
  });

  test("a payload that no step has named goes, once it is older than any call", async () => {
    const database = newMemoryDatabase();
    const store = await openMemoryStore({ database });
    const queue = await queueOn(store);
    await store.writePayload(new Uint8Array(70_000));
    store.crash();
    const again = await openMemoryStore({ database });
    const forget = { step: "forget", limit: 10, contactsBefore: 0, pastWorkersBefore: 0 } as const;
    await again.apply([forget], START + 3_600_000);
    expect([...database.payloads.names()]).toHaveLength(1);
    await again.apply([queue.steps.enqueue("a", 1), forget], START + 3_600_001);
    expect([...database.payloads.names()]).toHaveLength(0);
  });
});

describe("a commit in memory", () => {
  test("is refused as a whole where the opener throws before it, and leaves nothing", async () => {
    let isFull = false;
    const database = newMemoryDatabase();
    const store = await openMemoryStore({
      database,
      onCommit(mark) {
        if (isFull && mark === "begin") throw storageFull();
      },
    });
    const heard: Signal[] = [];
    const queue = await queueOn(store);
    const body = await store.writePayload(new Uint8Array(70_000));
    store.onSignals((signals) => void heard.push(...signals));
    isFull = true;
    const refused = ["a", "b"].map((id) => queue.send(queue.steps.enqueue(id, 1, { body }), START + 5_000));
    for (const call of await Promise.allSettled(refused)) {
      expect(call).toMatchObject({ status: "rejected", reason: { code: "STORAGE_FULL" } });
    }
    isFull = false;

    expect(heard).toEqual([]);
    expect(await store.counts(queue.endpoint)).toMatchObject({ queued: 0, queuedBytes: 0 });
    expect(await store.latestTime()).toBe(START);
    expect([...database.payloads.names()]).toEqual([]);
    expect(memoryFaults(database)).toEqual([]);
    expect(await queue.send(queue.steps.enqueue("a", 1))).toEqual({ accepted: true });
  });

  test("happens when the schedule of the opener says so", async () => {
    const planned: (() => void)[] = [];
    const database = newMemoryDatabase();
    const store = await openMemoryStore({ database, schedule: (commit) => void planned.push(commit) });
    const calls = [store.apply([], START), store.apply([], START + 1)];
    expect(planned).toHaveLength(1);
    expect(await store.latestTime()).toBe(0);
    planned[0]?.();
    await Promise.all(calls);
    expect(await store.latestTime()).toBe(START + 1);
  });

  test("gives copies of payloads: what their reader does with them changes nothing", async () => {
    const store = await openMemoryStore({ database: newMemoryDatabase() });
    const queue = await queueOn(store);
    const given = new Uint8Array(100).fill(1);
    await queue.send(queue.steps.enqueue("a", 1, { body: given }));
    given.fill(2);
    const read = await store.body(queue.endpoint, "a");
    if (read === undefined || isStored(read)) throw new Error("the body lies in the row");
    expect(read).toEqual(new Uint8Array(100).fill(1));
    read.fill(3);
    expect(await store.body(queue.endpoint, "a")).toEqual(new Uint8Array(100).fill(1));
  });
});

async function twoServers(carry?: MemorySharing["carry"]) {
  const database = newMemoryDatabase();
  const told: Record<string, Signal[]> = { one: [], other: [] };
  const open = async (server: string): Promise<MemoryStore> => {
    const store = await openMemoryStore({ database, sharing: { server, time: () => START, carry } });
    store.onSignals((signals, isOwn) => void (isOwn || told[server]?.push(...signals)));
    return store;
  };
  return {
    one: await open("one"),
    other: await open("other"),
    heard: (server: string) => told[server] ?? [],
  };
}
