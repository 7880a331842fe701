import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { DEFAULT_ACCOUNT } from "../../src/domain/account.ts";
import { health } from "../../src/engine/health.ts";
import { endpointOf } from "../../src/engine/records/find-endpoint.ts";
import { pauseRelease } from "../../src/engine/records/pause-release.ts";
import { updateTemplate } from "../../src/engine/records/templates.ts";
import { FLEET_KEY } from "../../src/engine/wait-keys.ts";
import { ScaledFleet } from "../support/scaled-fleet.ts";
import { until } from "../support/until.ts";

describe("the background job that scales", () => {
  let fleet: ScaledFleet;
  beforeEach(async () => {
    fleet = await ScaledFleet.start();
  });
  afterEach(() => fleet.stop());

  test("starts a worker within 100 ms of the job that wants one", async () => {
    const endpoint = await fleet.endpointOn("process/wait");
    await fleet.look();
    expect(fleet.started()).toEqual([]);
    await fleet.submitTo(endpoint);
    await fleet.on.clock.advance(100);
    expect(fleet.started()).toEqual([endpoint]);
    await fleet.running();
  });

  test("starts it within a second or so when the signal is lost", async () => {
    const endpoint = await fleet.endpointOn("process/wait");
    await fleet.look();
    const { notify } = fleet.on.engine.waits;
    fleet.on.engine.waits.notify = (key) => (key === FLEET_KEY ? undefined : notify(key));
    await fleet.submitTo(endpoint);
    await fleet.on.clock.advance(100);
    expect(fleet.started()).toEqual([]);
    await fleet.on.clock.advance(1_000);
    expect(fleet.started()).toEqual([endpoint]);
    await fleet.running();
  });

  test("a release that is to start now starts one worker without a job, until it has called", async () => {
    const endpoint = await fleet.endpointOn("process/wait", { idleTimeout: 1 });
    const { engine, clock } = fleet.on;
    const { notify } = engine.waits;
    engine.waits.notify = (key) => (key === FLEET_KEY ? undefined : notify(key));
    await fleet.look();
    expect(fleet.started()).toEqual([]);
    const start = () =>
      pauseRelease(engine, endpointOf(engine, DEFAULT_ACCOUNT.id, endpoint), 1, {
        isPaused: false,
        startsNow: true,
      });
    await start();
    await clock.advance(1_100);
    expect(fleet.started()).toEqual([endpoint]);
    await fleet.running();
    await fleet.call();
    await clock.advance(4_000);
    expect(engine.configuration.releases(endpoint)[0]?.completeAt).toBeDefined();
    await until("it is ended when it was idle", async () => {
      await clock.advance(1_000);
      return (await fleet.provider.list()).length === 0;
    });
    await start();
    await clock.advance(3_000);
    expect(fleet.started()).toEqual([]);
  });

  test("QUEUE_DELAY: a second one starts when a job has waited longer than the value", async () => {
    const fields = { scalerType: "QUEUE_DELAY", scalerValue: 7 } as const;
    const endpoint = await fleet.endpointOn("process/wait", fields);
    await fleet.submitTo(endpoint);
    await fleet.on.clock.advance(100);
    await fleet.running();
    await fleet.submitTo(endpoint);
    // The looks of each second come before, and no signal comes at all.
    await fleet.on.clock.advance(7_000);
    expect(fleet.started().length).toBe(1);
    await fleet.on.clock.advance(30);
    expect(fleet.started().length).toBe(2);
    await fleet.running(2);
    await fleet.on.clock.advance(20_000);
    expect(fleet.started().length).toBe(2);
  });

  test("REQUEST_COUNT: as many as the jobs make, at once, of which no low priority counts", async () => {
    const fields = { scalerType: "REQUEST_COUNT", scalerValue: 2, workersMax: 9 } as const;
    const endpoint = await fleet.endpointOn("process/wait", fields);
    for (let job = 0; job < 5; job++) await fleet.submitTo(endpoint);
    for (let job = 0; job < 5; job++) await fleet.submitTo(endpoint, { lowPriority: true });
    await fleet.on.clock.advance(200);
    expect(fleet.started().length).toBe(3);
    await fleet.running(3);
  });

  test("leaves endpoints of other images to the workers that come by themselves", async () => {
    await fleet.submitTo(await fleet.endpointOn("team/worker:1"));
    await fleet.on.submit();
    await fleet.on.clock.advance(2_000);
    expect(fleet.started()).toEqual([]);
    expect(fleet.on.log.entries).toEqual([]);
  });

  test("spec 2.2: jobs that run make no worker start, though they are many at one", async () => {
    const endpoint = await fleet.endpointOn("process/wait");
    const outside = { endpoint, id: "came-by-itself", sharesToken: true };
    for (const lowPriority of [true, true, false]) await fleet.submitTo(endpoint, { lowPriority });
    expect(await fleet.on.take(outside, { count: 3 })).toHaveLength(3);
    await fleet.look();
    await fleet.on.clock.advance(2_000);
    expect(fleet.started()).toEqual([]);
    await fleet.submitTo(endpoint);
    await fleet.look();
    expect(fleet.started()).toEqual([endpoint]);
    await fleet.running();
    const [inside = ""] = fleet.on.engine.fleet.managed.keys();
    for (let low = 0; low < 3; low++) await fleet.submitTo(endpoint, { lowPriority: true });
    expect(await fleet.on.take({ endpoint, id: inside, sharesToken: true }, { count: 4 })).toHaveLength(4);
    await fleet.look();
    await fleet.on.clock.advance(2_000);
    expect(fleet.started()).toEqual([endpoint]);
  });

  test("one endpoint that cannot be looked at does not keep another from its worker", async () => {
    const [broken, sound] = [await fleet.endpointOn("process/wait"), await fleet.endpointOn("process/wait")];
    const { counts } = fleet.on.engine.store;
    fleet.on.engine.store.counts = (endpoint) =>
      endpoint === broken ? Promise.reject(new Error("broken")) : counts(endpoint);
    await Promise.all([fleet.submitTo(broken), fleet.submitTo(sound)]);
    await fleet.on.clock.advance(100);
    expect(fleet.started()).toEqual([sound]);
    await fleet.running();
    const [error] = await until(
      "the fault is told",
      () => fleet.on.log.errors.length > 0 && fleet.on.log.errors,
    );
    expect(error?.message).toBe("a background job failed and will be retried");
    fleet.on.engine.store.counts = counts;
    fleet.on.log.entries.length = 0;
  });

  test("a template of another account gives workers only while it is public; its own has them", async () => {
    const template = await fleet.templateOf("process/wait", true);
    const [borrowing, own] = [
      await fleet.endpointOf("other", template),
      await fleet.endpointOf("default", template),
    ];
    await updateTemplate(fleet.on.engine, DEFAULT_ACCOUNT.id, template, { isPublic: false });
    await Promise.all([fleet.submitTo(borrowing), fleet.submitTo(own)]);
    await fleet.on.clock.advance(100);
    expect(fleet.started()).toEqual([own]);
    expect((await health(fleet.on.engine, borrowing)).workers.unhealthy).toBe(1);

    await updateTemplate(fleet.on.engine, DEFAULT_ACCOUNT.id, template, { isPublic: true });
    await fleet.on.clock.advance(10_000);
    expect(fleet.started().toSorted()).toEqual([own, borrowing].toSorted());
    await fleet.running(2);
  });

  test("ends a worker when its idleTimeout is over since it first called, and not before", async () => {
    const endpoint = await fleet.endpointOn("process/wait");
    const job = await fleet.submitTo(endpoint);
    await fleet.on.clock.advance(100);
    await fleet.running();
    await fleet.on.engine.store.apply(
      [{ step: "cancel", endpoint, id: job, retention: 0 }],
      fleet.on.clock.now(),
    );
    await fleet.on.clock.advance(60_000);
    expect(fleet.on.engine.fleet.draining.size).toBe(0);
    await fleet.call();
    await fleet.on.clock.advance(4_800);
    expect(fleet.on.engine.fleet.draining.size).toBe(0);
    await fleet.on.clock.advance(1_300);
    await until("it has ended", async () => (await fleet.provider.list()).length === 0);
    await fleet.on.clock.advance(100);
    expect(fleet.started()).toEqual([]);
  });
});
