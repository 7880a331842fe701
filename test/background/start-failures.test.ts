import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { DEFAULT_ACCOUNT } from "../../src/domain/account.ts";
import { fleetOf } from "../../src/engine/fleet-of.ts";
import { health } from "../../src/engine/health.ts";
import { updateEndpoint } from "../../src/engine/records/endpoints.ts";
import { updateTemplate } from "../../src/engine/records/templates.ts";
import { ScaledFleet } from "../support/scaled-fleet.ts";
import { until } from "../support/until.ts";

describe("the background job that scales, where starts take long, fail or are not wanted", () => {
  let fleet: ScaledFleet;
  beforeEach(async () => {
    fleet = await ScaledFleet.start();
  });
  afterEach(() => fleet.stop());

  test("ends a worker that has not called in its time, as one that has failed", async () => {
    const endpoint = await fleet.endpointOn("process/wait");
    await fleet.submitTo(endpoint);
    await fleet.on.clock.advance(100);
    await fleet.running();
    expect(fleetOf(fleet.on.engine, endpoint)).toMatchObject({ state: "STARTING", lastExit: undefined });
    await fleet.on.clock.advance(fleet.on.engine.durations.workerInitTimeout - 1_000);
    expect(fleet.on.engine.fleet.draining.size).toBe(0);
    await broken(1);
    expect(fleetOf(fleet.on.engine, endpoint)).toMatchObject({
      state: "UNHEALTHY",
      lastExit: { how: "it did not connect within 420000 ms" },
    });
    expect((await health(fleet.on.engine, endpoint)).workers.unhealthy).toBe(1);
    await fleet.on.clock.advance(500);
    expect(fleet.started()).toEqual([endpoint]);
    await fleet.running();
  });

  /** The worker that runs, or is about to, has ended, and that was looked at. */
  async function broken(failures: number): Promise<void> {
    await until(`${failures} ended`, async () => {
      await fleet.on.clock.advance(20);
      return told().length === failures;
    });
  }
  const told = () => fleet.on.log.entries.filter(({ message }) => message === "a worker exited");

  test("stops after three starts in a row that failed, says why, and tries ever more rarely", async () => {
    const template = await fleet.templateOf("process/broken");
    const endpoint = await fleet.endpointOf(DEFAULT_ACCOUNT.id, template, { workersMin: 1 });
    await broken(1);
    await fleet.on.clock.advance(0);
    expect(fleetOf(fleet.on.engine, endpoint)?.state).toBe("UNHEALTHY");
    for (const failures of [2, 3]) {
      await fleet.on.clock.advance(2 ** failures * 125);
      await broken(failures);
    }
    const report = fleetOf(fleet.on.engine, endpoint);
    expect(report?.state).toBe("CRASH_LOOP");
    expect(report?.reason).toStartWith(
      "The last 3 workers exited before they connected. The last exit: exit code 7.",
    );
    expect(report?.lastExit).toMatchObject({ how: "exit code 7", lastLines: ["no model"] });
    expect((report?.nextStartAt ?? 0) - (report?.lastExit?.at ?? 0)).toBe(2_000);

    await updateTemplate(fleet.on.engine, DEFAULT_ACCOUNT.id, template, { imageName: "process/wait" });
    await fleet.on.clock.advance(100);
    await fleet.running();
    expect(fleetOf(fleet.on.engine, endpoint)).toMatchObject({
      state: "STARTING",
      lastExit: { how: "exit code 7" },
    });
    await fleet.call();
    await fleet.on.clock.advance(100);
    expect(fleetOf(fleet.on.engine, endpoint)).toMatchObject({ state: "RUNNING", reason: undefined });
  });

  test("learns how long a worker takes to start", async () => {
    const endpoint = await fleet.endpointOn("process/wait");
    await fleet.submitTo(endpoint);
    await fleet.on.clock.advance(30);
    await fleet.running();
    const [ordered] = [...fleet.on.engine.fleet.managed.values()].map(({ orderedAt = 0 }) => orderedAt);
    await fleet.on.clock.advance(3_000);
    expect(fleetOf(fleet.on.engine, endpoint)?.coldStart).toBeUndefined();
    await fleet.call();
    expect(fleetOf(fleet.on.engine, endpoint)?.coldStart).toBe(fleet.on.clock.now() - (ordered ?? 0));
  });

  test("a paused endpoint has no workers and hands out nothing, and goes on at once", async () => {
    const fields = { workersMin: 1, workersMax: 2 };
    const endpoint = await fleet.endpointOn("process/wait", fields);
    await fleet.on.clock.advance(100);
    await fleet.running();
    await fleet.call();
    await updateEndpoint(fleet.on.engine, DEFAULT_ACCOUNT.id, endpoint, { isPaused: true });
    expect(fleetOf(fleet.on.engine, endpoint)?.state).toBe("PAUSED");
    await fleet.on.clock.advance(100);
    await until("none runs", async () => (await fleet.provider.list()).length === 0);
    const job = await fleet.submitTo(endpoint);
    const outside = { endpoint, id: "came-by-itself", sharesToken: true };
    const taken = fleet.on.take(outside, { hold: 20_000 });
    await fleet.on.clock.advance(10_000);
    expect(await fleet.provider.list()).toEqual([]);
    await updateEndpoint(fleet.on.engine, DEFAULT_ACCOUNT.id, endpoint, { isPaused: false });
    expect((await taken).map(({ id }) => id)).toEqual([job]);
    await fleet.on.clock.advance(100);
    await fleet.running();
  });
});
