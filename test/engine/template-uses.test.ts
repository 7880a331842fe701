import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { DEFAULT_ACCOUNT } from "../../src/domain/account.ts";
import type { Endpoint } from "../../src/domain/endpoint.ts";
import { TEMPLATE_DEFAULTS } from "../../src/domain/template.ts";
import { deleteEndpoint } from "../../src/engine/records/delete-endpoint.ts";
import { createEndpoint } from "../../src/engine/records/endpoints.ts";
import { countRun, noteRunSince } from "../../src/engine/records/template-uses.ts";
import { createTemplate, deleteTemplate, shownTemplateOf } from "../../src/engine/records/templates.ts";
import { createWorkerToken } from "../../src/engine/records/worker-tokens.ts";
import { retireWorker } from "../../src/engine/worker-gone.ts";
import { BARE_CALL, seen } from "../../src/engine/seen.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { TestEngine } from "../support/test-engine.ts";

const MINUTE = 60_000;

describe("2.8 runtimeInMin counts the minutes that workers of a template have run", () => {
  let on: TestEngine;
  let template: string;
  let endpoint: Endpoint;
  beforeEach(async () => {
    on = await TestEngine.start();
    await endpointOn();
  });
  afterEach(() => on.stop());

  async function endpointOn(): Promise<void> {
    const fields = { ...TEMPLATE_DEFAULTS, name: "t", imageName: "process/x" };
    template = (await createTemplate(on.engine, DEFAULT_ACCOUNT.id, fields)).id;
    endpoint = await createEndpoint(on.engine, DEFAULT_ACCOUNT.id, { name: "e", templateId: template });
  }

  const minutes = () => shownTemplateOf(on.engine, DEFAULT_ACCOUNT.id, template).runtimeInMin;
  const token = async (): Promise<string> => {
    const kind = { many: false, managed: true, provider: "process", template };
    return (await createWorkerToken(on.engine, endpoint, kind)).record.id;
  };

  /** A worker that this server has started, from its order on. */
  async function ordered(): Promise<string> {
    const worker = await token();
    const now = on.clock.now();
    const since = { orderedAt: now, runsSince: undefined, lastJobAt: now, hasCalled: false };
    on.engine.fleet.managed.set(worker, { endpoint: endpoint.id, ...since });
    return worker;
  }

  async function running(): Promise<string> {
    const worker = await ordered();
    const managed = on.engine.fleet.managed.get(worker);
    if (managed !== undefined) managed.runsSince = on.clock.now();
    await noteRunSince(on.engine, worker);
    return worker;
  }

  const retire = (worker: string) => retireWorker(on.engine, endpoint.id, worker, "withdrawn");

  test("2.8 runtimeInMin: workers that run and that have ended, from their start", async () => {
    expect(minutes()).toBe(0);
    const waiting = await ordered();
    const [one, two] = [await running(), await running()];
    await on.clock.advance(90_000);
    expect(minutes()).toBe(3);
    await retire(one);
    expect(minutes()).toBe(3);
    await on.clock.advance(10 * MINUTE);
    expect(minutes()).toBe(13);
    await retire(two);
    await retire(waiting);
    await on.clock.advance(10 * MINUTE);
    expect(minutes()).toBe(13);
    expect(on.engine.configuration.get("templateUse", template)?.ranMs).toBe(3 * MINUTE + 10 * MINUTE);
  });

  test("2.8 runtimeInMin: a worker that ended is counted once, even if its end comes twice", async () => {
    const worker = await running();
    await on.clock.advance(5 * MINUTE);
    const now = on.clock.now();
    await Promise.all([countRun(on.engine, worker, now), countRun(on.engine, worker, now)]);
    expect(minutes()).toBe(5);
    // A server that was killed here, before the token was removed, does it again.
    await on.clock.advance(5 * MINUTE);
    expect(minutes()).toBe(5);
    await retire(worker);
    await retire(worker);
    expect(minutes()).toBe(5);
  });

  test("ends at the same time are all counted, and the memory for them does not grow", async () => {
    const workers = await Promise.all(Array.from({ length: 20 }, running));
    await on.clock.advance(MINUTE);
    await Promise.all(workers.map(retire));
    expect(minutes()).toBe(20);
    const last = await running();
    await on.clock.advance(MINUTE);
    await retire(last);
    expect(on.engine.configuration.get("templateUse", template)?.counted).toEqual([last]);
    expect(minutes()).toBe(21);
  });

  test("one that ended while no server ran counts until its last call", async () => {
    const worker = await running();
    await on.clock.advance(3 * MINUTE);
    await seen(on.engine, { endpoint: endpoint.id, id: worker, sharesToken: false }, BARE_CALL);
    // The server was away for a day, and does not know it as its own any more.
    on.engine.fleet.managed.delete(worker);
    await on.clock.advance(1_440 * MINUTE);
    await retireWorker(on.engine, endpoint.id, worker, "died");
    expect(minutes()).toBe(3);
  });

  test("2.8 runtimeInMin: a crash loses neither runs that ended nor those that go on", async () => {
    await using directory = await temporaryDirectory();
    await on.stop();
    on = await TestEngine.start(directory.path);
    await endpointOn();
    const [ended, goesOn] = [await running(), await running()];
    const startedAt = on.clock.now();
    await on.clock.advance(4 * MINUTE);
    await retire(ended);
    await seen(on.engine, { endpoint: endpoint.id, id: goesOn, sharesToken: false }, BARE_CALL);
    await on.stop();

    on = await TestEngine.start(directory.path, "again");
    await on.clock.advance(startedAt + 10 * MINUTE - on.clock.now());
    expect(minutes()).toBe(4 + 10);
    await retireWorker(on.engine, endpoint.id, goesOn, "died");
    expect(minutes()).toBe(4 + 4);
  });

  test("other templates, workers that came by themselves and earlier tokens add nothing", async () => {
    const fields = { ...TEMPLATE_DEFAULTS, name: "other", imageName: "process/x" };
    const other = (await createTemplate(on.engine, DEFAULT_ACCOUNT.id, fields)).id;
    await createWorkerToken(on.engine, endpoint, { many: true, managed: false });
    const earlier = { many: false, managed: true, provider: "process" };
    const { record } = await createWorkerToken(on.engine, endpoint, earlier);
    await running();
    await on.clock.advance(2 * MINUTE);
    await retire(record.id);
    expect(shownTemplateOf(on.engine, DEFAULT_ACCOUNT.id, other).runtimeInMin).toBe(0);
    expect(minutes()).toBe(2);
  });

  test("a template that is deleted leaves nothing behind, nor do workers that end after it", async () => {
    const [before, after] = [await running(), await running()];
    await on.clock.advance(MINUTE);
    await retire(before);
    expect(on.engine.configuration.all("templateUse")).toHaveLength(1);
    await deleteEndpoint(on.engine, DEFAULT_ACCOUNT.id, endpoint.id);
    await deleteTemplate(on.engine, DEFAULT_ACCOUNT.id, template);
    expect(on.engine.configuration.all("templateUse")).toEqual([]);
    await retire(after);
    expect(on.engine.configuration.all("templateUse")).toEqual([]);
  });
});
