import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_ACCOUNT } from "../../src/domain/account.ts";
import type { Endpoint } from "../../src/domain/endpoint.ts";
import { TEMPLATE_DEFAULTS } from "../../src/domain/template.ts";
import { type FleetWorkers, fleetWorkers } from "../../src/duties/fleet-workers.ts";
import { createEndpoint } from "../../src/engine/records/endpoints.ts";
import { createTemplate } from "../../src/engine/records/templates.ts";
import { createWorkerToken } from "../../src/engine/records/worker-tokens.ts";
import { openProcessProvider } from "../../src/fleet/process/process-provider.ts";
import { providersByImage } from "../../src/fleet/providers.ts";
import type { Provider } from "../../src/fleet/provider.ts";
import { systemClock } from "../../src/system-clock.ts";
import { TestEngine } from "../support/test-engine.ts";
import { until } from "../support/until.ts";
import { MemoryOutput } from "../support/memory-output.ts";

describe("the workers that Forebay starts", () => {
  let root: string;
  let on: TestEngine;
  let provider: Provider;
  let workers: FleetWorkers;
  let endpoint: Endpoint;
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), "forebay-duties-"));
    on = await TestEngine.start();
    provider = await openProcessProvider({
      output: new MemoryOutput(),
      directory: root,
      commands: new Map([["wait", ["sleep", "1000"]]]),
      operatorEnvironment: process.env,
      clock: systemClock(),
      log: on.log,
    });
    workers = fleetWorkers(on.engine, providersByImage(provider), () => "http://server");
    endpoint = await endpointOn("process/wait");
  });
  afterEach(async () => {
    for (const worker of await provider.list()) await provider.stop(worker, 0);
    await on.stop();
    await until("their directories are gone", () => readdirSync(root).length === 0);
    rmSync(root, { recursive: true });
  });

  async function endpointOn(imageName: string): Promise<Endpoint> {
    const fields = { ...TEMPLATE_DEFAULTS, name: imageName, imageName };
    const template = await createTemplate(on.engine, DEFAULT_ACCOUNT.id, fields);
    return createEndpoint(on.engine, DEFAULT_ACCOUNT.id, { name: imageName, templateId: template.id });
  }

  /** The id of a worker that runs. */
  async function started(): Promise<string> {
    const before = new Set(on.engine.managed.keys());
    await workers.start(endpoint);
    const id = [...on.engine.managed.keys()].find((worker) => !before.has(worker)) ?? "";
    await until("it runs", async () => (await provider.list()).includes(id));
    return id;
  }

  test("are known of before anything of them runs (race R31)", async () => {
    let known: unknown;
    const start: Provider["start"] = (order) => {
      known = on.engine.configuration.get("worker", order.worker);
      return provider.start(order);
    };
    const watched = providersByImage({ ...provider, start });
    await fleetWorkers(on.engine, watched, () => "http://server").start(endpoint);
    expect(known).toMatchObject({ endpoint: endpoint.id, managed: true, many: false, provider: "process" });
    await until("it runs", async () => (await provider.list()).length === 1);
  });

  test("leave no record when they cannot be started", async () => {
    const unknown = await endpointOn("process/unknown");
    await workers.start(unknown);
    expect(on.engine.managed.size).toBe(1);
    const [fault] = await until("it is told", async () => {
      const told = await workers.settleExits();
      return told.length > 0 && told;
    });
    expect(fault).toMatchObject({ endpoint: unknown.id, hasRun: false, hasCalled: false, lastLines: [] });
    expect(fault?.how).toContain("no registered command");
    expect(on.engine.configuration.all("worker")).toEqual([]);
    expect(on.engine.managed.size).toBe(0);
  });

  test("one that ends by itself is told of once, and its token is gone", async () => {
    const worker = await started();
    await provider.stop(worker, 0);
    expect(await workers.settleExits()).toEqual([
      {
        worker,
        endpoint: endpoint.id,
        how: expect.stringMatching(/^signal SIG/),
        lastLines: [],
        hasRun: true,
        hasCalled: false,
      },
    ]);
    expect(await workers.settleExits()).toEqual([]);
    expect(on.engine.configuration.all("worker")).toEqual([]);
    expect([on.engine.managed.size, on.engine.draining.size]).toEqual([0, 0]);
  });

  test("one that was told to end, or had asked to be replaced, is no failure", async () => {
    const told = await started();
    workers.end(told, 1_000);
    expect(on.engine.draining.has(told)).toBe(true);
    await until("it has ended", async () => (await provider.list()).length === 0);
    expect(await workers.settleExits()).toEqual([]);
    const asking = await started();
    on.engine.toReplace.add(asking);
    await provider.stop(asking, 0);
    expect(await workers.settleExits()).toEqual([]);
    expect([on.engine.draining.size, on.engine.toReplace.size]).toEqual([0, 0]);
  });

  test("one that is ended because it failed is told of as that", async () => {
    const worker = await started();
    workers.fail(worker, "it was too late");
    const [exit] = await until("it is told", async () => {
      const told = await workers.settleExits();
      return told.length > 0 && told;
    });
    expect(exit).toMatchObject({ worker, how: "it was too late", hasRun: true, hasCalled: false });
    expect(await provider.list()).toEqual([]);
  });

  test("an end that could not be written down is settled at the next look, as what it was", async () => {
    const worker = await started();
    await provider.stop(worker, 0);
    const { store } = on.engine;
    const { apply } = store;
    store.apply = () => Promise.reject(new Error("no room"));
    await expect(workers.settleExits()).rejects.toThrow("no room");
    store.apply = apply;
    expect((await workers.settleExits()).length).toBe(1);
    expect(on.engine.managed.size).toBe(0);
  });

  test("after a restart: those that run go on, what the others held goes out again as lost", async () => {
    const runs = await started();
    const own = on.engine.configuration.get("endpoint", on.endpoint) ?? endpoint;
    const { record } = await createWorkerToken(on.engine, own, { many: false, managed: true });
    const external = await createWorkerToken(on.engine, own, { many: false, managed: false });
    const job = await on.submit();
    await on.take(on.worker(record.id));
    on.engine.managed.clear();
    await fleetWorkers(on.engine, providersByImage(provider), () => "http://server").adopt();
    expect([...on.engine.managed.keys()]).toEqual([runs]);
    const tokens = on.engine.configuration.all("worker").map(({ id }) => id);
    expect(tokens.toSorted()).toEqual([runs, external.record.id].toSorted());
    expect(await on.status(job)).toMatchObject({ state: "IN_QUEUE", losses: 1 });
  });
});
