import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { DEFAULT_ACCOUNT } from "../../src/domain/account.ts";
import { releaseStateOf } from "../../src/domain/release.ts";
import { versionOf } from "../../src/domain/worker.ts";
import { fleetOf } from "../../src/engine/fleet-of.ts";
import { updateEndpoint } from "../../src/engine/records/endpoints.ts";
import { endpointOf } from "../../src/engine/records/find-endpoint.ts";
import { pauseRelease } from "../../src/engine/records/pause-release.ts";
import { noteComplete } from "../../src/engine/records/releases.ts";
import { updateTemplate } from "../../src/engine/records/templates.ts";
import { ScaledFleet } from "../support/scaled-fleet.ts";
import { until } from "../support/until.ts";

describe("a release that is paused, with time in the hands of the test", () => {
  let fleet: ScaledFleet;
  let template: string;
  let endpoint: string;
  beforeEach(async () => {
    fleet = await ScaledFleet.start();
    template = await fleet.templateOf("process/wait");
    const fields = { workersMin: 3, workersMax: 3, releaseSurge: 1 };
    endpoint = await fleet.endpointOf(DEFAULT_ACCOUNT.id, template, fields);
    await fleet.on.clock.advance(100);
    await fleet.running(3);
    await fleet.call();
    await fleet.on.clock.advance(100);
    expect(stateNow()).toBe("COMPLETE");
  });
  afterEach(() => fleet.stop());

  const update = (imageName: string, A: string) =>
    updateTemplate(fleet.on.engine, DEFAULT_ACCOUNT.id, template, { imageName, env: { A } });
  const pause = (version: number, isPaused = true) => {
    const of = endpointOf(fleet.on.engine, DEFAULT_ACCOUNT.id, endpoint);
    return pauseRelease(fleet.on.engine, of, version, { isPaused });
  };
  const releases = () => fleet.on.engine.configuration.releases(endpoint);
  function stateNow(): string {
    const [newest] = releases();
    if (newest === undefined) throw new Error("there is no release");
    return releaseStateOf(newest, newest);
  }
  const staying = (): string[] => {
    const { managed, draining, toReplace } = fleet.on.engine.fleet;
    return [...managed.keys()].filter((id) => !draining.has(id) && !toReplace.has(id));
  };
  /** The versions of the workers that are to stay. */
  const versions = () => staying().map(versionOf).toSorted();
  const ofVersion = (version: number) => staying().find((id) => versionOf(id) === version) ?? "";

  /** Looks go on until as many processes run, and these versions are to stay. */
  const become = (...expected: number[]) => reach(expected, false);
  /** The same, where each worker that is started calls. */
  const becomeCalling = (...expected: number[]) => reach(expected, true);
  async function reach(expected: readonly number[], isCalling: boolean): Promise<void> {
    await until(
      `the versions are ${expected.join(" ")}`,
      async () => {
        if (isCalling) await fleet.call();
        await fleet.on.clock.advance(50);
        const running = (await fleet.provider.list()).length;
        return running === expected.length && versions().join(" ") === expected.join(" ");
      },
      20_000,
    );
  }

  /** In the middle of the second release: one worker of it has called, two old ones are left. */
  async function halfWay(): Promise<void> {
    await update("process/wait", "2");
    await become(1, 1, 1, 2);
    await fleet.call();
    await become(1, 1, 2, 2);
  }

  test("no old worker goes and no new one comes, however long; resumed it completes", async () => {
    await halfWay();
    const { paused } = await pause(2);
    expect([paused?.own, paused?.earlier, stateNow()]).toEqual([2, 2, "PAUSED"]);
    const before = staying().toSorted();
    await fleet.call();
    await fleet.on.clock.advance(120_000);
    expect(staying().toSorted()).toEqual(before);
    expect(stateNow()).toBe("PAUSED");
    // A look that began before the pause can come to its end behind it.
    await noteComplete(fleet.on.engine, `${endpoint}.2`);
    expect(stateNow()).toBe("PAUSED");
    // Once more is nothing new.
    expect((await pause(2)).paused).toEqual(paused);

    await pause(2, false);
    await becomeCalling(2, 2, 2);
    await until("it is complete", async () => {
      await fleet.call();
      await fleet.on.clock.advance(50);
      return stateNow() === "COMPLETE";
    });
  });

  test("a worker that dies is replaced by one of its version", async () => {
    await halfWay();
    await pause(2);
    await fleet.call();
    for (const version of [1, 2]) {
      const dead = ofVersion(version);
      await fleet.provider.stop(dead, 0);
      await become(1, 1, 2, 2);
      expect(staying()).not.toContain(dead);
      await fleet.call();
    }
  });

  test("further workers are of the version before, and both shrink when the endpoint is idle", async () => {
    await halfWay();
    await pause(2);
    await fleet.call();
    const { engine } = fleet.on;
    await updateEndpoint(engine, DEFAULT_ACCOUNT.id, endpoint, { workersMin: 6, workersMax: 6 });
    await become(1, 1, 1, 1, 2, 2);
    await fleet.call();
    await updateEndpoint(engine, DEFAULT_ACCOUNT.id, endpoint, { workersMin: 0 });
    await fleet.on.clock.advance(10_000);
    await become();
    expect(stateNow()).toBe("PAUSED");
    await updateEndpoint(engine, DEFAULT_ACCOUNT.id, endpoint, { workersMin: 1 });
    await become(1, 2);
    await fleet.call();
    expect(stateNow()).toBe("PAUSED");
  });

  test("three starts of it that fail stop it, though it is paused", async () => {
    await update("process/wait", "2");
    await become(1, 1, 1, 2);
    await pause(2);
    for (let failures = 0; failures < 3; failures++) {
      await become(1, 1, 1, 2);
      expect(stateNow()).toBe("PAUSED");
      await fleet.provider.stop(ofVersion(2), 0);
      await until("it has ended", async () => {
        await fleet.on.clock.advance(20);
        return !versions().includes(2);
      });
    }
    await until("it is stopped", async () => {
      await fleet.on.clock.advance(500);
      return stateNow() === "STOPPED";
    });
    await fleet.on.clock.advance(1_000);
    await become(1, 1, 1);
  });

  test("three starts of the version before that fail do not stop it: they wait on their own", async () => {
    await update("process/wait", "2");
    await become(1, 1, 1, 2);
    await pause(2);
    for (let failures = 0; failures < 4; failures++) {
      const { managed } = fleet.on.engine.fleet;
      const ofFirst = staying().filter((id) => versionOf(id) === 1);
      const dead = ofFirst.find((id) => managed.get(id)?.hasCalled === false) ?? ofFirst[0] ?? "";
      await fleet.provider.stop(dead, 0);
      await until("it has ended", async () => {
        await fleet.on.clock.advance(20);
        return !managed.has(dead);
      });
      expect(stateNow()).toBe("PAUSED");
      if (failures < 3) await become(1, 1, 1, 2);
    }
    await fleet.on.clock.advance(100);
    expect(fleetOf(fleet.on.engine, endpoint)).toMatchObject({ state: "CRASH_LOOP" });
    // A start of the new version need not wait for that.
    const fresh = ofVersion(2);
    await fleet.provider.stop(fresh, 0);
    await until("another one of it runs", async () => {
      await fleet.on.clock.advance(20);
      return ![fresh, ""].includes(ofVersion(2));
    });
    await become(1, 1, 1, 2);
  });

  test("a change begins a release that goes on, and what was not resumed never serves", async () => {
    await halfWay();
    await pause(2);
    await fleet.call();
    await update("process/broken", "3");
    expect(stateNow()).toBe("ROLLING");
    expect(releases()[1]?.paused?.own).toBe(2);
    await until("it is stopped", async () => {
      await fleet.on.clock.advance(500);
      return stateNow() === "STOPPED";
    });
    await becomeCalling(1, 1, 1);
  });
});
