import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_ACCOUNT } from "../../src/domain/account.ts";
import type { Endpoint } from "../../src/domain/endpoint.ts";
import { TEMPLATE_DEFAULTS } from "../../src/domain/template.ts";
import { type FleetWorkers, fleetWorkers } from "../../src/background/fleet-workers.ts";
import { createEndpoint } from "../../src/engine/records/endpoints.ts";
import { createRegistryLogin } from "../../src/engine/records/registry-logins.ts";
import { createTemplate, type TemplateFields, updateTemplate } from "../../src/engine/records/templates.ts";
import { createWorkerToken } from "../../src/engine/records/worker-tokens.ts";
import { openProcessProvider } from "../../src/fleet/process/process-provider.ts";
import { fixedHosts, localHost } from "../../src/fleet/hosts.ts";
import type { Provider, WorkerOrder } from "../../src/fleet/provider.ts";
import { systemClock, thisMachine } from "../../src/host/system-clock.ts";
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
    root = mkdtempSync(join(tmpdir(), "forebay-workers-"));
    on = await TestEngine.start(undefined, "test", () => true);
    provider = await openProcessProvider({
      output: new MemoryOutput(),
      directory: root,
      commands: new Map([["wait", ["sleep", "1000"]]]),
      operatorEnvironment: process.env,
      boot: thisMachine.uptime()?.boot,
      clock: systemClock(),
      log: on.log,
    });
    workers = fleetWorkers(on.engine, fixedHosts(localHost(provider)), () => "http://server");
    endpoint = await endpointOn("process/wait");
  });
  afterEach(async () => {
    for (const worker of await provider.list()) await provider.stop(worker, 0);
    await on.stop();
    await until("their directories are gone", () => readdirSync(root).length === 0);
    rmSync(root, { recursive: true });
  });

  async function endpointOn(imageName: string, more: Partial<TemplateFields> = {}): Promise<Endpoint> {
    const fields = { ...TEMPLATE_DEFAULTS, name: imageName, imageName, ...more };
    const template = await createTemplate(on.engine, DEFAULT_ACCOUNT.id, fields);
    return createEndpoint(on.engine, DEFAULT_ACCOUNT.id, { name: imageName, templateId: template.id });
  }

  /** The id of a worker that runs. */
  async function started(): Promise<string> {
    const before = new Set(on.engine.fleet.managed.keys());
    await workers.start(endpoint);
    const id = [...on.engine.fleet.managed.keys()].find((worker) => !before.has(worker)) ?? "";
    await until("it runs", async () => (await provider.list()).includes(id));
    return id;
  }

  test("are known of before anything of them runs (race R31)", async () => {
    let known: unknown;
    const start: Provider["start"] = (order) => {
      known = on.engine.configuration.get("worker", order.worker);
      return provider.start(order);
    };
    const watched = fixedHosts(localHost({ ...provider, start }));
    await fleetWorkers(on.engine, watched, () => "http://server").start(endpoint);
    expect(known).toMatchObject({ endpoint: endpoint.id, managed: true, many: false, provider: "process" });
    await until("it runs", async () => (await provider.list()).length === 1);
  });

  test("have on record since when they run, and from which template: a crash loses neither", async () => {
    const worker = await started();
    const record = await until("it is written", () => {
      const token = on.engine.configuration.get("worker", worker);
      return token?.runsSince === undefined ? undefined : token;
    });
    expect(record.template).toBe(endpoint.templateId);
    expect(record.runsSince).toBe(on.engine.fleet.managed.get(worker)?.runsSince);
  });

  describe("with a registry login", () => {
    const orders: WorkerOrder[] = [];
    /** Like one that fetches images, as far as its orders go. */
    const fetching = (): FleetWorkers => {
      orders.length = 0;
      const start: Provider["start"] = async (order) => {
        orders.push(order);
        return { pinnedImage: undefined };
      };
      return fleetWorkers(
        on.engine,
        fixedHosts(localHost(provider), {
          ...localHost({ ...provider, name: "docker", start }),
          name: "docker",
        }),
        () => "http://server",
      );
    };
    const credentials = { username: "user", password: "pass" };
    const loginIn = async (): Promise<string> =>
      (await createRegistryLogin(on.engine, DEFAULT_ACCOUNT.id, { name: "registry", ...credentials })).id;

    test("get it in their order, for the registry of their image alone", async () => {
      const containerRegistryAuthId = await loginIn();
      for (const imageName of ["ghcr.io/team/worker:1", "team/worker:1"]) {
        await fetching().start(await endpointOn(imageName, { containerRegistryAuthId }));
        const server = imageName.startsWith("ghcr.io") ? "ghcr.io" : "docker.io";
        expect(orders.map(({ login }) => login)).toEqual([{ server, ...credentials }]);
      }
      await fetching().start(await endpointOn("team/other:1"));
      expect(orders.map(({ login }) => login)).toEqual([undefined]);
      expect(JSON.stringify(orders[0])).not.toContain("pass");
    });

    test("of a public template it is that of the author, whoever's endpoint it is", async () => {
      const fields = { isPublic: true, containerRegistryAuthId: await loginIn() };
      const { templateId } = await endpointOn("ghcr.io/team/worker:1", fields);
      const other = await createEndpoint(on.engine, "another", { name: "theirs", templateId });
      await fetching().start(other);
      expect(orders[0]?.login).toEqual({ server: "ghcr.io", ...credentials });
    });

    test("that is not there are not started, and the reason names it", async () => {
      const theirs = await endpointOn("team/worker:1");
      const stored = on.engine.configuration.get("template", theirs.templateId ?? "");
      if (stored === undefined) throw new Error("there is a template");
      // As a data directory can have it from before there were logins.
      const version = on.engine.configuration.version("template", stored.id) + 1;
      const body = JSON.stringify({ ...stored, containerRegistryAuthId: "gone" });
      const { id, account, name } = stored;
      const record = { kind: "template", id, account, name, version, body } as const;
      await on.engine.store.apply([{ step: "put", record }], 0);
      await on.engine.configuration.refresh();
      const start = fetching().start(theirs);
      await expect(start).rejects.toThrow(
        `Template ${id} uses registry login gone, which does not exist. Choose another login.`,
      );
      expect(orders).toEqual([]);
      expect(on.engine.configuration.all("worker")).toEqual([]);
      // Everything else about it can be changed all the same.
      await updateTemplate(on.engine, DEFAULT_ACCOUNT.id, id, { readme: "new" });
      await updateTemplate(on.engine, DEFAULT_ACCOUNT.id, id, { containerRegistryAuthId: "" });
      await fetching().start(theirs);
      expect(orders).toHaveLength(1);
    });
  });

  test("leave no record when they cannot be started", async () => {
    const unknown = await endpointOn("process/unknown");
    await workers.start(unknown);
    expect(on.engine.fleet.managed.size).toBe(1);
    const [fault] = await until("it is told", async () => {
      const told = await workers.settleExits();
      return told.length > 0 && told;
    });
    expect(fault).toMatchObject({ endpoint: unknown.id, hasRun: false, hasCalled: false, lastLines: [] });
    expect(fault?.how).toContain("not a registered command");
    expect(on.engine.configuration.all("worker")).toEqual([]);
    expect(on.engine.fleet.managed.size).toBe(0);
  });

  test("one that ends by itself is logged once, and its token is deleted", async () => {
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
    expect([on.engine.fleet.managed.size, on.engine.fleet.draining.size]).toEqual([0, 0]);
  });

  test("one that was asked to end, or asked to be replaced, is no failure", async () => {
    const told = await started();
    workers.end(told, 1_000);
    expect(on.engine.fleet.draining.has(told)).toBe(true);
    await until("it has ended", async () => (await provider.list()).length === 0);
    expect(await workers.settleExits()).toEqual([]);
    const asking = await started();
    on.engine.fleet.toReplace.add(asking);
    await provider.stop(asking, 0);
    expect(await workers.settleExits()).toEqual([]);
    expect([on.engine.fleet.draining.size, on.engine.fleet.toReplace.size]).toEqual([0, 0]);
  });

  test("one that is ended because it failed is logged as a failure", async () => {
    const worker = await started();
    workers.fail(worker, "it was too late");
    const [exit] = await until("it is told", async () => {
      const told = await workers.settleExits();
      return told.length > 0 && told;
    });
    expect(exit).toMatchObject({ worker, how: "it was too late", hasRun: true, hasCalled: false });
    expect(await provider.list()).toEqual([]);
  });

  test("an end that could not be stored is stored at the next check, with its cause", async () => {
    const worker = await started();
    await provider.stop(worker, 0);
    const { store } = on.engine;
    const { apply } = store;
    store.apply = () => Promise.reject(new Error("no room"));
    await expect(workers.settleExits()).rejects.toThrow("no room");
    store.apply = apply;
    expect((await workers.settleExits()).length).toBe(1);
    expect(on.engine.fleet.managed.size).toBe(0);
  });

  test("after a restart: those that run go on, what the others held goes out again as lost", async () => {
    const runs = await started();
    const own = on.engine.configuration.get("endpoint", on.endpoint) ?? endpoint;
    const { record } = await createWorkerToken(on.engine, own, { many: false, managed: true });
    const external = await createWorkerToken(on.engine, own, { many: false, managed: false });
    const job = await on.submit();
    await on.take(on.worker(record.id));
    on.engine.fleet.managed.clear();
    await fleetWorkers(on.engine, fixedHosts(localHost(provider)), () => "http://server").adopt();
    expect([...on.engine.fleet.managed.keys()]).toEqual([runs]);
    const tokens = on.engine.configuration.all("worker").map(({ id }) => id);
    expect(tokens.toSorted()).toEqual([runs, external.record.id].toSorted());
    expect(await on.status(job)).toMatchObject({ state: "IN_QUEUE", losses: 1 });
  });
});
