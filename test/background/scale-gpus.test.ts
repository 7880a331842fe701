import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { DEFAULT_ACCOUNT } from "../../src/domain/account.ts";
import { updateEndpoint } from "../../src/engine/records/endpoints.ts";
import { updateTemplate } from "../../src/engine/records/templates.ts";
import { cardsOf } from "../support/gpu-inventories.ts";
import { ScaledFleet } from "../support/scaled-fleet.ts";
import { until } from "../support/until.ts";

describe("an endpoint whose workers need a GPU each, on a machine with one", () => {
  let fleet: ScaledFleet;
  let template: string;
  let endpoint: string;
  beforeEach(async () => {
    fleet = await ScaledFleet.start(cardsOf(1));
    template = await fleet.templateOf("process/wait");
    const scaler = { scalerType: "REQUEST_COUNT", scalerValue: 1, workersMax: 2 } as const;
    endpoint = await fleet.endpointOf(DEFAULT_ACCOUNT.id, template, { gpuCount: 1, ...scaler });
    await fleet.submitTo(endpoint);
    await fleet.submitTo(endpoint);
    await fleet.look();
    await fleet.running();
    await fleet.call();
    await fleet.look();
  });
  afterEach(() => fleet.stop());

  const report = () => fleet.on.engine.fleet.reports.get(endpoint);
  const holders = async () => (await fleet.on.engine.store.allocations()).map(({ worker }) => worker);

  test("has one worker; the next one waits, which is no failure, and the report says why", () => {
    expect(fleet.started()).toEqual([endpoint]);
    expect(report()).toMatchObject({
      state: "NO_ROOM",
      reason:
        "The worker needs 1 GPU; local has 0 of 1 NVIDIA L40S free. It starts when enough resources are " +
        "free. Stop other workers to start it sooner.",
      lastExit: undefined,
      nextStartAt: undefined,
      unhealthy: 0,
    });
  });

  test("a release replaces the worker, although both do not fit at once", async () => {
    const [old = ""] = await holders();
    await updateTemplate(fleet.on.engine, DEFAULT_ACCOUNT.id, template, { env: { A: "1" } });
    const fresh = await until("another worker has the GPU", async () => {
      await fleet.look();
      return (await holders()).find((worker) => worker !== old);
    });
    await fleet.running();
    expect([...fleet.on.engine.fleet.managed.keys()]).toEqual([fresh]);
  });

  test("a release that would not fit without the old worker either leaves it alone", async () => {
    const before = await holders();
    await updateEndpoint(fleet.on.engine, DEFAULT_ACCOUNT.id, endpoint, { gpuCount: 2 });
    for (let looks = 0; looks < 5; looks++) await fleet.look();
    expect(await holders()).toEqual(before);
    expect(fleet.on.engine.fleet.toReplace.size).toBe(0);
    expect(report()?.reason).toBe(
      "The worker needs 2 GPUs of one model; local has 0 of 1 NVIDIA L40S free. " +
        "It would not fit even without other workers. Lower gpuCount, or fix the host.",
    );
  });
});
