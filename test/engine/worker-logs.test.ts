import { expect, test } from "bun:test";
import { ForebayError } from "../../src/domain/errors.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { openPeers } from "../../src/engine/peers.ts";
import { createWorkerToken } from "../../src/engine/records/worker-tokens.ts";
import { jobLogs, workerLogs } from "../../src/engine/worker-logs.ts";
import { newMemoryDatabase } from "../../src/store/memory/memory-database.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { TestEngine } from "../support/test-engine.ts";

test("a request for logs that are not here says where they are", async () => {
  const t = await TestEngine.start();
  const endpoint = t.engine.configuration.get("endpoint", t.endpoint);
  if (endpoint === undefined) throw new Error("the endpoint is gone");
  const workerOf = async (server: string, managed: boolean) =>
    (await createWorkerToken({ ...t.engine, server }, endpoint, { many: false, managed })).record.id;
  const [own, elsewhere, foreign] = [
    await workerOf("test-server", true),
    await workerOf("b", true),
    await workerOf("b", false),
  ];

  expect(refusalOf(t.engine, t.endpoint, own)).toEqual(["NO_LOGS", `Worker ${own} has not started yet.`]);
  const silent = `The logs of worker ${elsewhere} are on server b, which does not answer. Ask that server.`;
  expect(refusalOf(t.engine, t.endpoint, elsewhere)).toEqual(["NO_LOGS", silent]);
  const stays = `Forebay did not start worker ${foreign}, so it does not have its logs.`;
  expect(refusalOf(t.engine, t.endpoint, foreign)).toEqual(["NO_LOGS", `${stays} Read them where it runs.`]);
  expect(refusalOf(t.engine, t.endpoint, "unknown")[0]).toBe("WORKER_NOT_FOUND");
  expect(refusalOf(t.engine, "other", own)[0]).toBe("WORKER_NOT_FOUND");

  const peers = await peersOf(t);
  const on = [...peers.machines().values()][0];
  const engine = { ...t.engine, peers };
  const answers = `The logs of worker ${elsewhere} are on server b, on ${on}. Ask that server.`;
  expect(refusalOf(engine, t.endpoint, elsewhere)).toEqual(["NO_LOGS", answers]);
  expect(refusalOf(engine, t.endpoint, "unknown")).toEqual([
    "NO_LOGS",
    "This server, test-server, has no logs of worker unknown. The server that started it keeps them for a " +
      `while. Ask one of b on ${on}, c on ${on}.`,
  ]);
  await t.stop();
});

test("the log of a job is what its worker printed from a second before it to a second after", async () => {
  const t = await TestEngine.start();
  const read: unknown[] = [];
  const engine: Engine = {
    ...t.engine,
    workerLogs: {
      has: () => true,
      async *read(wish) {
        read.push(wish);
        yield { lines: new TextEncoder().encode("line"), position: 0 };
      },
    },
  };
  const job = await t.submit();
  await expect(jobLogs(engine, t.endpoint, "none")).rejects.toThrow("There is no job none.");
  await expect(jobLogs(engine, t.endpoint, job)).rejects.toThrow(`There are no logs of job ${job}:`);
  await t.clock.advance(5_000);
  const since = t.clock.now() - 1_000;
  await t.take(t.worker("a"));
  const asked = async () => {
    const { worker, lines } = await jobLogs(engine, t.endpoint, job);
    expect(await Array.fromAsync(lines)).toHaveLength(1);
    return worker;
  };
  expect(await asked()).toBe("a");
  await t.clock.advance(7_000);
  const until = t.clock.now() + 1_000;
  await t.complete(t.worker("a"), job);
  await asked();
  const common = { endpoint: t.endpoint, worker: "a", since };
  expect(read).toEqual([
    { ...common, until: undefined },
    { ...common, until },
  ]);
  await t.stop();
});

function refusalOf(engine: Engine, endpoint: string, worker: string): [string, string] {
  try {
    workerLogs(engine, { endpoint, worker });
  } catch (error) {
    if (error instanceof ForebayError) return [error.code, error.message];
    throw error;
  }
  throw new Error("there is a log");
}

/** What `test-server` knows of the servers b and c. */
async function peersOf({ clock }: TestEngine) {
  const database = newMemoryDatabase();
  const meet = async (server: string) => {
    const store = await openMemoryStore({ database, sharing: { server, time: () => clock.now() } });
    if (store.shared === undefined) throw new Error("the store has no shared data");
    const peers = openPeers({ shared: store.shared, server, clock, fleet: () => ({}), sealsBy: () => "" });
    await peers.meet();
    return peers;
  };
  await meet("b");
  await meet("c");
  return meet("test-server");
}
