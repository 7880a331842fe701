import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_ACCOUNT } from "../../src/domain/account.ts";
import type { JobPolicy } from "../../src/domain/policy.ts";
import { TEMPLATE_DEFAULTS } from "../../src/domain/template.ts";
import { fleetWorkers } from "../../src/duties/fleet-workers.ts";
import { type RunningDuties, runDuties } from "../../src/duties/run-duties.ts";
import { scaleDuty } from "../../src/duties/scale.ts";
import { health } from "../../src/engine/health.ts";
import { createEndpoint } from "../../src/engine/records/endpoints.ts";
import { createTemplate, updateTemplate } from "../../src/engine/records/templates.ts";
import { stopEngine } from "../../src/engine/stop-engine.ts";
import { submit } from "../../src/engine/submit.ts";
import { FLEET_KEY } from "../../src/engine/wait-keys.ts";
import { openProcessProvider } from "../../src/fleet/process/process-provider.ts";
import type { Provider } from "../../src/fleet/provider.ts";
import { systemClock } from "../../src/system-clock.ts";
import { TestEngine } from "../support/test-engine.ts";
import { until } from "../support/until.ts";

describe("the scale duty", () => {
  let root: string;
  let on: TestEngine;
  let provider: Provider;
  let duties: RunningDuties;
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), "forebay-scale-"));
    on = await TestEngine.start();
    provider = await openProcessProvider({
      directory: root,
      commands: new Map([["wait", ["sleep", "1000"]]]),
      operatorEnvironment: process.env,
      clock: systemClock(),
      log: on.log,
    });
    const workers = fleetWorkers(on.engine, provider, () => "http://server");
    duties = runDuties(on.engine, [scaleDuty(on.engine, workers)]);
    // The first look finds nothing to do.
    await on.clock.advance(100);
  });
  afterEach(async () => {
    stopEngine(on.engine);
    await duties.stop();
    for (const worker of await provider.list()) await provider.stop(worker, 0);
    await on.stop();
    await until("their directories are gone", () => readdirSync(root).length === 0);
    rmSync(root, { recursive: true });
  });

  async function templateOf(imageName: string, isPublic = false): Promise<string> {
    const fields = { ...TEMPLATE_DEFAULTS, name: crypto.randomUUID(), imageName, isPublic };
    return (await createTemplate(on.engine, DEFAULT_ACCOUNT.id, fields)).id;
  }

  async function endpointOn(imageName: string): Promise<string> {
    return endpointOf(DEFAULT_ACCOUNT.id, await templateOf(imageName));
  }

  async function endpointOf(account: string, templateId: string): Promise<string> {
    const fields = { name: crypto.randomUUID(), templateId, idleTimeout: 5 };
    return (await createEndpoint(on.engine, account, fields)).id;
  }

  async function submitTo(endpoint: string, policy: Partial<JobPolicy> = {}): Promise<string> {
    const body = new TextEncoder().encode('{"input":{}}');
    const job = { endpoint, kind: "run", body, s3Config: undefined, policy } as const;
    const { id } = await submit(on.engine, { ...job, retention: 0, idempotency: undefined });
    return id;
  }

  /** A signal makes the duty look, and from then on it waits for the next one or a whole second. */
  async function look(): Promise<void> {
    on.engine.waits.notify(FLEET_KEY);
    await on.clock.advance(60);
  }

  /** The start of a process takes its own time, in which the clock of the test stands still. */
  const running = () => until("a process runs", async () => (await provider.list()).length === 1);
  const started = (): string[] => [...on.engine.managed.values()].map(({ endpoint }) => endpoint);

  test("starts a worker within 100 ms of the job that wants one", async () => {
    const endpoint = await endpointOn("process/wait");
    await look();
    expect(started()).toEqual([]);
    await submitTo(endpoint);
    await on.clock.advance(100);
    expect(started()).toEqual([endpoint]);
    await running();
  });

  test("starts it within a second or so when the signal is lost", async () => {
    const endpoint = await endpointOn("process/wait");
    await look();
    const { notify } = on.engine.waits;
    on.engine.waits.notify = (key) => (key === FLEET_KEY ? undefined : notify(key));
    await submitTo(endpoint);
    await on.clock.advance(100);
    expect(started()).toEqual([]);
    await on.clock.advance(1_000);
    expect(started()).toEqual([endpoint]);
    await running();
  });

  test("leaves endpoints of other images to the workers that come by themselves", async () => {
    await submitTo(await endpointOn("team/worker:1"));
    await on.submit();
    await on.clock.advance(2_000);
    expect(started()).toEqual([]);
    expect(on.log.entries).toEqual([]);
  });

  test("spec 2.2: jobs that run make no worker start, though they are many at one", async () => {
    const endpoint = await endpointOn("process/wait");
    const outside = { endpoint, id: "came-by-itself", anyCallProves: true };
    for (const lowPriority of [true, true, false]) await submitTo(endpoint, { lowPriority });
    expect(await on.take(outside, { count: 3 })).toHaveLength(3);
    await look();
    await on.clock.advance(2_000);
    expect(started()).toEqual([]);
    await submitTo(endpoint);
    await look();
    expect(started()).toEqual([endpoint]);
    await running();
    const [inside = ""] = on.engine.managed.keys();
    for (let low = 0; low < 3; low++) await submitTo(endpoint, { lowPriority: true });
    expect(await on.take({ endpoint, id: inside, anyCallProves: true }, { count: 4 })).toHaveLength(4);
    await look();
    await on.clock.advance(2_000);
    expect(started()).toEqual([endpoint]);
  });

  test("one endpoint that cannot be looked at does not keep another from its worker", async () => {
    const [broken, sound] = [await endpointOn("process/wait"), await endpointOn("process/wait")];
    const { counts } = on.engine.store;
    on.engine.store.counts = (endpoint) =>
      endpoint === broken ? Promise.reject(new Error("broken")) : counts(endpoint);
    await Promise.all([submitTo(broken), submitTo(sound)]);
    await on.clock.advance(100);
    expect(started()).toEqual([sound]);
    await running();
    const [error] = await until("the fault is told", () => on.log.errors.length > 0 && on.log.errors);
    expect(error?.message).toBe("a duty failed and will be tried again");
    on.engine.store.counts = counts;
    on.log.entries.length = 0;
  });

  test("a template of another account gives workers only while it is public; its own has them", async () => {
    const template = await templateOf("process/wait", true);
    const [borrowing, own] = [await endpointOf("other", template), await endpointOf("default", template)];
    await updateTemplate(on.engine, DEFAULT_ACCOUNT.id, template, { isPublic: false });
    await Promise.all([submitTo(borrowing), submitTo(own)]);
    await on.clock.advance(100);
    expect(started()).toEqual([own]);
    expect((await health(on.engine, borrowing)).workers.unhealthy).toBe(1);

    await updateTemplate(on.engine, DEFAULT_ACCOUNT.id, template, { isPublic: true });
    await on.clock.advance(10_000);
    expect(started().toSorted()).toEqual([own, borrowing].toSorted());
    await until("both run", async () => (await provider.list()).length === 2);
  });

  test("ends a worker when its idleTimeout is over, and not before", async () => {
    const endpoint = await endpointOn("process/wait");
    const job = await submitTo(endpoint);
    await on.clock.advance(100);
    await running();
    await on.engine.store.apply([{ step: "cancel", endpoint, id: job, retention: 0 }], on.clock.now());
    await on.clock.advance(4_800);
    expect(on.engine.draining.size).toBe(0);
    await on.clock.advance(1_300);
    await until("it has ended", async () => (await provider.list()).length === 0);
    await on.clock.advance(100);
    expect(started()).toEqual([]);
  });
});
