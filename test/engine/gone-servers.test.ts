import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { fleetWorkers } from "../../src/background/fleet-workers.ts";
import { forgetGoneServers } from "../../src/engine/gone-servers.ts";
import { putRecord } from "../../src/engine/records/put-record.ts";
import { createWorkerToken, type WorkerKind } from "../../src/engine/records/worker-tokens.ts";
import { fixedHosts } from "../../src/fleet/hosts.ts";
import { newMemoryDatabase } from "../../src/store/memory/memory-database.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import type { SharedData } from "../../src/store/store.ts";
import { FakeEngineHost } from "../support/fake-engine-host.ts";
import { TestEngine } from "../support/test-engine.ts";
import { until } from "../support/until.ts";

const HOUR = 3_600_000;

describe("servers that are gone for good", () => {
  let on: TestEngine;
  let shared: SharedData;
  const missedSince = new Map<string, number>();
  beforeEach(async () => {
    on = await TestEngine.start();
    missedSince.clear();
    const sharing = { server: "test-server", time: () => on.clock.now() };
    const store = await openMemoryStore({ database: newMemoryDatabase(), sharing });
    if (store.shared === undefined) throw new Error("the store has no shared data");
    shared = store.shared;
  });
  afterEach(() => on.stop());

  /** A worker that the server has started. */
  async function workerOf(server: string, managed = true, kind: Partial<WorkerKind> = {}): Promise<string> {
    const endpoint = on.engine.configuration.get("endpoint", on.endpoint);
    if (endpoint === undefined) throw new Error("the endpoint is gone");
    const engine = { ...on.engine, server };
    return (await createWorkerToken(engine, endpoint, { many: false, managed, ...kind })).record.id;
  }

  /** A container of the server, with a GPU. */
  async function containerOf(server: string, host: string): Promise<string> {
    const devices = [{ device: `GPU-${host}-0`, card: `GPU-${host}-0` }];
    return workerOf(server, true, { provider: "docker", host, allocation: { host, devices } });
  }
  const look = () => forgetGoneServers(on.engine, shared, missedSince);
  const isKnown = (id: string) => on.engine.configuration.get("worker", id) !== undefined;
  const servers = async () => (await shared.announcements()).map(({ server }) => server);
  const ledger = async () => (await on.engine.store.allocations()).map(({ worker }) => worker);
  const warnings = () => on.log.entries.filter(({ level }) => level === "warn");

  test("the workers of one are retired an hour after it was last seen, and not before", async () => {
    const [gone, own, foreign] = [
      await workerOf("b"),
      await workerOf("test-server"),
      await workerOf("", false),
    ];
    await shared.announce("b", "{}", on.clock.now());
    await shared.announce("test-server", "{}", on.clock.now());
    await on.clock.advance(HOUR - 1);
    await look();
    expect(isKnown(gone)).toBe(true);
    await on.clock.advance(1);
    await look();
    expect([isKnown(gone), isKnown(own), isKnown(foreign)]).toEqual([false, true, true]);
    expect(warnings()).toEqual([
      {
        level: "warn",
        message: "a server is gone for good: the workers that it had started are refused from now on",
        fields: { server: "b", workers: 1 },
      },
    ]);
    await on.clock.advance(1);
    await look();
    expect(await servers()).toEqual(["test-server"]);
    expect(warnings()).toHaveLength(1);
  });

  test("one that was never seen is missed from the first check on", async () => {
    const gone = await workerOf("b");
    await look();
    await on.clock.advance(HOUR - 1);
    await look();
    expect(isKnown(gone)).toBe(true);
    await on.clock.advance(1);
    await look();
    expect(isKnown(gone)).toBe(false);
    expect(missedSince.has("b")).toBe(false);
  });

  test("a worker that still calls is left alone until it is silent for its lease", async () => {
    const { workerLease } = on.engine.durations;
    const [silent, live] = [await workerOf("b"), await workerOf("b")];
    await shared.announce("b", "{}", on.clock.now());
    await on.clock.advance(HOUR + 1);
    await on.take(on.worker(live));
    await look();
    expect([isKnown(silent), isKnown(live)]).toEqual([false, true]);
    expect([await servers(), warnings()]).toEqual([["b"], []]);
    await on.clock.advance(workerLease + 1);
    await look();
    expect(isKnown(live)).toBe(false);
    expect([await servers(), warnings().length]).toEqual([[], 1]);
  });

  test("a container keeps its GPUs until a server that sees its engine has stopped it", async () => {
    const docker = new FakeEngineHost("docker");
    const engine = { ...on.engine, store: { ...on.engine.store, shared } };
    const workers = fleetWorkers(engine, fixedHosts(docker.host), () => "http://server");
    const id = await containerOf("b", "docker");
    docker.running.add(id);
    await shared.announce("b", "{}", on.clock.now());
    await on.clock.advance(HOUR);
    await look();
    expect(on.engine.configuration.get("worker", id)?.lostAt).toBe(on.clock.now());
    expect(await ledger()).toEqual([id]);
    await workers.tidy();
    await until("its container is gone", () => docker.running.size === 0);
    await workers.tidy();
    expect([isKnown(id), await ledger()]).toEqual([false, []]);
  });

  test("a container is retired after another hour if nobody sees its engine, on a host never", async () => {
    const address = "tcp://gpu-1:2376";
    await putRecord(on.engine, "host", { id: "gpu-1", address, labels: [], isDraining: false });
    const [hidden, recorded] = [await containerOf("b", "docker"), await containerOf("b", "gpu-1")];
    for (let looks = 0; looks < 2; looks++) {
      await look();
      await on.clock.advance(HOUR);
    }
    await look();
    expect([isKnown(hidden), isKnown(recorded)]).toEqual([true, true]);
    await on.clock.advance(HOUR);
    await look();
    expect([isKnown(hidden), await ledger()]).toEqual([false, [recorded]]);
    for (let looks = 0; looks < 3; looks++) {
      await on.clock.advance(HOUR);
      await look();
    }
    expect(await ledger()).toEqual([recorded]);
    expect(warnings()).toHaveLength(1);
  });

  test("one without workers is forgotten, and nothing is logged", async () => {
    await shared.announce("b", "{}", on.clock.now());
    await on.clock.advance(HOUR + 1);
    await look();
    expect([await servers(), warnings()]).toEqual([[], []]);
  });
});
