import { describe, expect, test } from "bun:test";
import type { GpuDevice } from "../../src/fleet/gpu/gpu-inventory.ts";
import {
  type Allocation,
  place,
  type PlaceHost,
  type PlaceRequest,
  type Placement,
  waitSentence,
} from "../../src/fleet/place.ts";

const L40S = "NVIDIA L40S";
const T4 = "Tesla T4";
const SLICE = "NVIDIA A100-SXM4-80GB MIG 3g.40gb";
const MISSING = "The driver no longer lists the GPU.";

describe("the host and the devices of a worker", () => {
  test("eight workers on two hosts with four cards each get eight cards", () => {
    const hosts = [hostOf("a", cards("a", L40S, 4)), hostOf("b", cards("b", L40S, 4))];
    const { placed } = placeAll(8, needing(1), hosts);
    expect(placed.map(({ devices }) => devices[0]?.uuid)).toEqual(
      ["a0", "a1", "a2", "a3", "b0", "b1", "b2", "b3"].map((name) => `GPU-${name}`),
    );
  });

  test("a worker fills up a host, so that one that needs four cards still has a whole one", () => {
    const hosts = [hostOf("a", cards("a", L40S, 4)), hostOf("b", cards("b", L40S, 4))];
    const before = [holding("b", cards("b", L40S, 1))];
    expect(hostAndDevices(place(needing(1), hosts, before))).toEqual(["b", "GPU-b1"]);
    expect(hostAndDevices(place(needing(4), hosts, before))).toEqual([
      "a",
      "GPU-a0",
      "GPU-a1",
      "GPU-a2",
      "GPU-a3",
    ]);
  });

  test("the type that is named first wins, even if the host lacks the image", () => {
    const hosts = [{ ...hostOf("a", cards("a", T4, 1)), hasImage: true }, hostOf("b", cards("b", L40S, 8))];
    const request = needing(1, [L40S, T4]);
    expect(hostAndDevices(place(request, hosts, []))).toEqual(["b", "GPU-b0"]);
    expect(hostAndDevices(place(needing(1, [T4, L40S]), hosts, []))).toEqual(["a", "GPU-a0"]);
  });

  test("types are public names, in any case and without the vendor; the first that is free wins", () => {
    const host = hostOf("a", [...cards("l", L40S, 1), ...cards("t", T4, 2)]);
    const { placed, last } = placeAll(9, needing(1, ["H100 SXM", "l40s", "NVIDIA T4"]), [host]);
    expect(placed.map(({ devices }) => devices[0]?.uuid)).toEqual(["GPU-l0", "GPU-t0", "GPU-t1"]);
    expect(last?.host).toBeUndefined();
  });

  test("a host that has the image wins over one that would be fuller", () => {
    const hosts = [hostOf("a", cards("a", L40S, 1)), { ...hostOf("b", cards("b", L40S, 8)), hasImage: true }];
    expect(hostAndDevices(place(needing(1), hosts, []))).toEqual(["b", "GPU-b0"]);
  });

  test("all devices of a worker are of one model", () => {
    const mixed = hostOf("a", [...cards("a", L40S, 1), ...cards("b", T4, 1)]);
    expect(place(needing(2, [L40S, T4]), [mixed], [])).toMatchObject({
      refusals: [{ host: "a", reason: `has 1 of 1 ${L40S} and 1 of 1 ${T4} free` }],
    });
  });

  test("workers without GPUs go to hosts without, and spread by the share that is free", () => {
    const small = { ...hostOf("small"), amounts: { cores: 4 } };
    const large = { ...hostOf("large"), amounts: { cores: 8 } };
    const hosts = [hostOf("gpus", cards("g", L40S, 2)), small, large];
    const { placed } = placeAll(4, { ...needing(0), amounts: { cores: 1 } }, hosts);
    expect(placed.map(({ host }) => host)).toEqual(["large", "small", "large", "large"]);
  });

  test("where nothing is counted, workers spread by their number", () => {
    const { placed } = placeAll(4, needing(0), [hostOf("a"), hostOf("b")]);
    expect(placed.map(({ host }) => host)).toEqual(["a", "b", "a", "b"]);
  });

  test("a card that two hosts see is given out once", () => {
    const shared = cards("x", L40S, 1);
    const { placed, last } = placeAll(2, needing(1), [hostOf("docker", shared), hostOf("local", shared)]);
    expect(placed.map(({ host }) => host)).toEqual(["docker"]);
    expect(last).toMatchObject({ host: undefined });
  });
});

describe("slices", () => {
  const slices = [sliceOf("GPU-a0", 0), sliceOf("GPU-a0", 1)];

  test("go to workers that name them, each to one", () => {
    const { placed } = placeAll(3, needing(1, [SLICE]), [hostOf("a", slices)]);
    expect(placed.flatMap(({ devices }) => devices)).toEqual(slices);
  });

  test("never to a worker that needs two devices, or that names no type", () => {
    const host = hostOf("a", slices);
    expect(reasonOf(needing(2, [SLICE]), host)).toBe("has only MIG slices, and a worker can use one");
    expect(reasonOf(needing(1), host)).toBe("has only MIG slices, which gpuTypeIds must name");
  });

  test("never while a worker has their card, nor the card while a worker has a slice", () => {
    const whole = cards("a", L40S, 1);
    expect(reasonOf(needing(1, [SLICE]), hostOf("a", slices), [holding("a", whole)])).toBe(
      `has 0 of 2 ${SLICE} free`,
    );
    expect(reasonOf(needing(1), hostOf("a", whole), [holding("a", slices.slice(0, 1))])).toBe(
      `has 0 of 1 ${L40S} free`,
    );
  });
});

describe("why a worker waits", () => {
  const host = { ...hostOf("gpu-1", cards("a", L40S, 2)), amounts: { cores: 4, memoryMb: 1_024 } };

  test.each<[string, Partial<PlaceRequest>, Partial<PlaceHost>]>([
    ["is draining", {}, { isDraining: true }],
    ["is away", {}, { away: "its certificate has expired" }],
    ["does not have the label fast", { label: "fast" }, { labels: ["slow"] }],
    ["has 4 of 4 cores free", { amounts: { cores: 4.5 } }, {}],
    ["has 1024 of 1024 MB of memory free", { amounts: { memoryMb: 1_025 } }, {}],
    [`has 2 of 2 ${L40S} free`, { gpuCount: 3 }, {}],
    [`has no ${T4} or Tesla V100`, { gpuTypes: [T4, "Tesla V100"] }, {}],
    [
      "has no GPU (without nvidia-smi on the server's machine, set FOREBAY_DOCKER_GPU_PROBE)",
      { gpuTypes: [T4] },
      { gpus: { devices: [], outOfUse: [], fault: undefined } },
    ],
    [
      "has no working GPU (GPUs 0, GPU-b are out of use: The driver no longer lists the GPU; " +
        "GPU 2 is out of use: nvidia-smi shows ERR! for the GPU)",
      {},
      {
        gpus: {
          devices: [],
          outOfUse: [
            { uuid: "GPU-a", index: 0, reason: MISSING },
            { uuid: undefined, index: 2, reason: "nvidia-smi shows ERR! for the GPU." },
            { uuid: "GPU-b", index: undefined, reason: MISSING },
          ],
          fault: undefined,
        },
      },
    ],
    [
      "cannot list its GPUs (nvidia-smi did not answer within 10 s)",
      {},
      { gpus: { devices: [], outOfUse: [], fault: "nvidia-smi did not answer within 10 s." } },
    ],
    [
      `has 1 of 1 ${L40S} free (GPU 1 is out of use: The driver no longer lists the GPU)`,
      { gpuCount: 2 },
      {
        gpus: {
          devices: cards("a", L40S, 1),
          outOfUse: [{ uuid: "GPU-a1", index: 1, reason: MISSING }],
          fault: undefined,
        },
      },
    ],
  ])("a host %s", (reason, request, change) => {
    expect(reasonOf({ ...needing(1), ...request }, { ...host, ...change })).toBe(reason);
  });

  test("a sentence says what it needs and what each host lacks", () => {
    const hosts = [host, { ...hostOf("gpu-2", cards("b", L40S, 2)), isDraining: true }];
    const request = { ...needing(2, [L40S]), amounts: { cores: 1 } };
    const placement = place(request, hosts, [holding("gpu-1", cards("a", L40S, 1))]);
    expect(placement.host).toBeUndefined();
    if (placement.host !== undefined) return;
    expect(waitSentence(request, placement.refusals)).toBe(
      `The worker needs 2 × ${L40S}, 1 core; gpu-1 has 1 of 2 ${L40S} free, gpu-2 is draining.`,
    );
    expect(waitSentence(needing(2), [])).toBe("The worker needs 2 GPUs of one model; no host is available.");
    expect(waitSentence(needing(0), [])).toBe("The worker needs a host; no host is available.");
    expect(waitSentence({ ...needing(1), label: "eu" }, [])).toContain("1 GPU on a host with the label eu;");
    expect(waitSentence({ ...needing(0), label: "eu" }, [])).toContain("needs a host with the label eu;");
  });

  test("amounts that the host does not know, or the worker does not limit, are not counted", () => {
    const unknown = hostOf("a");
    const before: Allocation[] = [{ host: "a", amounts: {}, devices: [] }];
    expect(place({ ...needing(0), amounts: { cores: 1_000 } }, [unknown], before).host).toBe("a");
    expect(place(needing(0), [{ ...unknown, amounts: { cores: 1 } }], before).host).toBe("a");
  });

  test("fractions of cores add up", () => {
    const tenths = { ...hostOf("a"), amounts: { cores: 1 } };
    expect(placeAll(11, { ...needing(0), amounts: { cores: 0.1 } }, [tenths]).placed).toHaveLength(10);
  });
});

/** Places workers that need the same until one fits nowhere. */
function placeAll(count: number, request: PlaceRequest, hosts: readonly PlaceHost[]) {
  const allocations: Allocation[] = [];
  let last: Placement | undefined;
  for (let left = count; left > 0; left--) {
    last = place(request, hosts, allocations);
    if (last.host === undefined) break;
    allocations.push({ host: last.host, amounts: request.amounts, devices: last.devices });
  }
  return { placed: allocations, last };
}

function hostAndDevices(placement: Placement): string[] {
  if (placement.host === undefined) return [];
  return [placement.host, ...placement.devices.map(({ uuid }) => uuid)];
}

function reasonOf(request: PlaceRequest, host: PlaceHost, before: readonly Allocation[] = []) {
  const placement = place(request, [host], before);
  return placement.host === undefined ? placement.refusals[0]?.reason : "nothing: it fits";
}

function needing(gpuCount: number, gpuTypes: readonly string[] = []): PlaceRequest {
  return { gpuCount, gpuTypes, amounts: {}, label: undefined };
}

function hostOf(name: string, devices: readonly GpuDevice[] = []): PlaceHost {
  const gpus = { devices, outOfUse: [], fault: undefined };
  return { name, amounts: {}, labels: [], gpus, isDraining: false, away: undefined, hasImage: false };
}

function holding(host: string, devices: readonly GpuDevice[]): Allocation {
  return { host, amounts: {}, devices };
}

function cards(prefix: string, name: string, count: number): GpuDevice[] {
  return Array.from({ length: count }, (_, index) => {
    const uuid = `GPU-${prefix}${index}`;
    return { uuid, card: uuid, index, name, memoryMb: undefined, kind: "card" };
  });
}

function sliceOf(card: string, at: number): GpuDevice {
  return { uuid: `MIG-${at}`, card, index: 0, name: SLICE, memoryMb: undefined, kind: "slice" };
}
