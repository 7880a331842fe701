import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type FleetWorkers, fleetWorkers } from "../../src/background/fleet-workers.ts";
import { DEFAULT_ACCOUNT } from "../../src/domain/account.ts";
import type { Endpoint } from "../../src/domain/endpoint.ts";
import { TEMPLATE_DEFAULTS } from "../../src/domain/template.ts";
import { deleteEndpoint } from "../../src/engine/records/delete-endpoint.ts";
import { createEndpoint, type NewEndpoint } from "../../src/engine/records/endpoints.ts";
import { createTemplate } from "../../src/engine/records/templates.ts";
import type { GpuInventory } from "../../src/fleet/gpu/gpu-inventory.ts";
import { fixedHosts, localHost } from "../../src/fleet/hosts.ts";
import type { Provider, WorkerExit, WorkerOrder } from "../../src/fleet/provider.ts";
import { cardsOf } from "../support/gpu-inventories.ts";
import { TestEngine } from "../support/test-engine.ts";
import { until } from "../support/until.ts";

describe("workers with GPUs", () => {
  let on: TestEngine;
  let gpus: GpuInventory;
  let cores: number | undefined;
  let orders: WorkerOrder[];
  let workers: FleetWorkers;
  beforeEach(async () => {
    on = await TestEngine.start(undefined, "test", () => true);
    gpus = cardsOf(8);
    cores = undefined;
    orders = [];
    workers = fleetWorkers(
      on.engine,
      fixedHosts(
        localHost(recordingProvider(orders), {
          gpus: () => gpus,
          amounts: () => ({ cores }),
          taken: (vcpuCount) => ({ cores: vcpuCount }),
        }),
      ),
      () => "http://server",
    );
  });
  afterEach(() => on.stop());

  async function endpointWith(gpuCount: number, more: Partial<NewEndpoint> = {}): Promise<Endpoint> {
    const fields = { ...TEMPLATE_DEFAULTS, name: `template-${gpuCount}`, imageName: "process/wait" };
    const { id } = await createTemplate(on.engine, DEFAULT_ACCOUNT.id, fields);
    const given = { name: `endpoint-${gpuCount}`, templateId: id, gpuCount, ...more };
    return createEndpoint(on.engine, DEFAULT_ACCOUNT.id, given);
  }

  const allocations = () => on.engine.store.allocations();
  const tokens = () => on.engine.configuration.all("worker").map(({ id }) => id);

  async function gone(worker: string): Promise<void> {
    workers.end(worker, 0);
    await until("it has no devices", async () => {
      await workers.settleExits();
      return (await allocations()).every((row) => row.worker !== worker);
    });
  }

  test("that start at the same time get a device each; one more waits for a free device", async () => {
    const endpoint = await endpointWith(1);
    await Promise.all(Array.from({ length: 8 }, () => workers.start(endpoint)));

    const given = orders.map(({ worker, gpus: own }) => [own?.map(({ uuid }) => uuid), worker]);
    const written = (await allocations()).map(({ device, worker }) => [[device], worker]);
    expect(given.toSorted()).toEqual(written);
    expect(new Set(written.map(([device]) => String(device))).size).toBe(8);
    await expect(workers.start(endpoint)).rejects.toThrow(
      "The worker needs 1 GPU; local has 0 of 8 NVIDIA L40S free.",
    );
    expect(tokens()).toHaveLength(8);

    const [first] = orders;
    await gone(first?.worker ?? "");
    await workers.start(endpoint);
    expect(orders.at(-1)?.gpus).toEqual(first?.gpus);
  });

  test("get the first of their types that is free, until the last one is taken", async () => {
    gpus = { ...gpus, devices: [...cardsOf(1).devices, ...cardsOf(1, "Tesla T4").devices] };
    const endpoint = await endpointWith(1, { gpuTypeIds: ["H100 SXM", "NVIDIA T4", "l40s"] });
    await workers.start(endpoint);
    await workers.start(endpoint);
    expect(orders.map((order) => order.gpus?.[0]?.name)).toEqual(["Tesla T4", "NVIDIA L40S"]);
    await expect(workers.start(endpoint)).rejects.toThrow(
      "The worker needs 1 × H100 SXM or NVIDIA T4 or l40s; " +
        "local has 0 of 1 NVIDIA L40S and 0 of 1 Tesla T4 free.",
    );
  });

  test("or none never get more cores together than there are, also at once", async () => {
    cores = 5;
    const endpoint = await endpointWith(1, { gpuCount: null, vcpuCount: 2 });
    const started = await Promise.allSettled([1, 2, 3].map(() => workers.start(endpoint)));
    expect(started.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
    await expect(workers.start(endpoint)).rejects.toThrow(
      "The worker needs 2 cores; local has 1 of 5 cores free.",
    );
    await gone(orders[0]?.worker ?? "");
    await workers.start(endpoint);
  });

  test("are told how many they have, and of which model", async () => {
    await workers.start(await endpointWith(2));
    expect(orders[0]?.environment).toMatchObject({ RUNPOD_GPU_COUNT: "2", RUNPOD_GPU_NAME: "NVIDIA L40S" });
  });

  test("wait while the GPUs cannot be read; those without GPUs start", async () => {
    gpus = { devices: [], outOfUse: [], fault: "nvidia-smi did not answer within 10 s." };
    await expect(workers.start(await endpointWith(1))).rejects.toThrow(
      "local cannot list its GPUs (nvidia-smi did not answer within 10 s).",
    );
    const { templateId } = await endpointWith(2);
    await workers.start(await createEndpoint(on.engine, DEFAULT_ACCOUNT.id, { name: "plain", templateId }));
    expect(orders.map((order) => order.gpus)).toEqual([undefined]);
  });

  test("free their devices if their record was written and the answer was lost", async () => {
    const endpoint = await endpointWith(1);
    const { store, configuration } = on.engine;
    const { apply } = store;
    store.apply = async (steps, now) => {
      const answers = await apply(steps, now);
      if (steps.some((step) => step.step === "put" && step.allocation !== undefined)) {
        throw new Error("no answer");
      }
      return answers;
    };
    await expect(workers.start(endpoint)).rejects.toThrow("no answer");
    store.apply = apply;
    await configuration.refresh();
    expect(await allocations()).toHaveLength(1);

    await workers.tidy();

    expect(await allocations()).toEqual([]);
    expect(tokens()).toEqual([]);
  });

  test("keep their devices until they are gone, also if their endpoint is deleted", async () => {
    const endpoint = await endpointWith(1);
    await workers.start(endpoint);
    const worker = orders[0]?.worker ?? "";

    await deleteEndpoint(on.engine, DEFAULT_ACCOUNT.id, endpoint.id);

    expect(on.engine.configuration.get("endpoint", endpoint.id)).toBeUndefined();
    expect((await allocations()).map((row) => row.worker)).toEqual([worker]);
    await gone(worker);
    expect(tokens()).toEqual([]);
  });
});

/** Its workers run until they are stopped. */
function recordingProvider(orders: WorkerOrder[]): Provider {
  const running = new Set<string>();
  let onExit: (exit: WorkerExit) => void = () => undefined;
  return {
    name: "process",
    outlivesServer: false,
    refusal: () => undefined,
    hasImage: async () => true,
    async start(order) {
      orders.push(order);
      running.add(order.worker);
      return { pinnedImage: undefined };
    },
    async stop(worker) {
      if (running.delete(worker)) onExit({ worker, how: "exit code 0", lastLines: [] });
    },
    list: async () => [...running],
    onExit(listener) {
      onExit = listener;
    },
    kept: async () => [],
    forget: async () => undefined,
    close: async () => undefined,
  };
}
