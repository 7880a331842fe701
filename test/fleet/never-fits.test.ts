import { describe, expect, test } from "bun:test";
import type { GpuInventory } from "../../src/fleet/gpu/gpu-inventory.ts";
import type { PlaceHost, PlaceRequest } from "../../src/fleet/place.ts";
import { neverFits } from "../../src/fleet/place-host.ts";
import { cardsOf } from "../support/gpu-inventories.ts";

const LARGE = "No host is large enough, even when empty.";

describe("a worker that no host could run", () => {
  test("with more GPUs than any host has", () => {
    const hosts = [hostOf("a", { gpus: cardsOf(2) }), hostOf("b", { gpus: cardsOf(1) })];
    expect(neverFits(needing({ gpuCount: 2 }), hosts)).toBeUndefined();
    expect(neverFits(needing({ gpuCount: 3 }), hosts)).toBe(
      `${LARGE} The worker needs 3 GPUs of one model; ` +
        "a has 2 of 2 NVIDIA L40S free, b has 1 of 1 NVIDIA L40S free.",
    );
  });

  test("with a type that no host has; the sentence names the types that there are", () => {
    const hosts = [hostOf("a", { gpus: cardsOf(2) })];
    expect(neverFits(needing({ gpuCount: 1, gpuTypes: ["NVIDIA A40"] }), hosts)).toBe(
      `${LARGE} The worker needs 1 × NVIDIA A40; a has no NVIDIA A40. Available GPUs: NVIDIA L40S.`,
    );
    const either = needing({ gpuCount: 1, gpuTypes: ["NVIDIA A40", "l40s"] });
    expect(neverFits(either, hosts)).toBeUndefined();
  });

  test("with a type that is no GPU, although another type fits", () => {
    const request = needing({ gpuCount: 1, gpuTypes: ["NVIDIA L40S", "NVIDIA RTX 9"] });
    expect(neverFits(request, [hostOf("a", { gpus: cardsOf(1) })])).toBe(
      'gpuTypeIds: "NVIDIA RTX 9" is not the name of a GPU. Available GPUs: NVIDIA L40S.',
    );
    expect(neverFits(request, [hostOf("a", {})])).toEndWith("No host has a GPU.");
  });

  test("with more cores or memory than any host has", () => {
    const hosts = [hostOf("a", { amounts: { cores: 4, memoryMb: 2_000 } })];
    expect(neverFits(needing({ amounts: { cores: 4, memoryMb: 2_000 } }), hosts)).toBeUndefined();
    expect(neverFits(needing({ amounts: { cores: 5 } }), hosts)).toBe(
      `${LARGE} The worker needs 5 cores; a has 4 of 4 cores free.`,
    );
    expect(neverFits(needing({ amounts: { memoryMb: 2_001 } }), hosts)).toContain("2000 MB of memory");
  });

  test("with a label that no host has, also while GPUs are not known; a host that drains counts", () => {
    const fault = "nvidia-smi hangs.";
    const hosts = [
      hostOf("a", { labels: ["eu"], isDraining: true }),
      hostOf("b", { labels: ["us", "eu"], gpus: { devices: [], outOfUse: [], fault } }),
    ];
    expect(neverFits(needing({ label: "eu" }), hosts)).toBeUndefined();
    expect(neverFits(needing({ label: "asia" }), hosts)).toBe(
      "hostLabel: none of the hosts that could run these workers has the label asia. " +
        "Choose another label, or ask the operator to give a host this one.",
    );
    const fast = needing({ label: "eu", gpuCount: 1 });
    expect(neverFits(fast, [hosts[0] ?? hostOf("a", {}), hostOf("c", { gpus: cardsOf(1) })])).toBe(
      `${LARGE} The worker needs 1 GPU on a host with the label eu; a has no GPU (without nvidia-smi on ` +
        "the server's machine, set FOREBAY_DOCKER_GPU_PROBE), c does not have the label eu.",
    );
  });

  test("with a model that only a host has which drains or is away fits there later", () => {
    const request = needing({ gpuCount: 1 });
    expect(neverFits(request, [hostOf("a", { gpus: cardsOf(1), isDraining: true })])).toBeUndefined();
    expect(neverFits(request, [hostOf("a", { gpus: cardsOf(1), away: "it is off" })])).toBeUndefined();
  });

  test.each<[string, GpuInventory]>([
    ["cannot be read", { devices: [], outOfUse: [], fault: "nvidia-smi hangs." }],
    [
      "are partly out of use",
      { ...cardsOf(1), outOfUse: [{ uuid: "GPU-1", index: 1, reason: "The GPU is lost." }] },
    ],
  ])("is not known while GPUs %s; cores still are", (_, gpus) => {
    const host = hostOf("a", { gpus, amounts: { cores: 4 } });
    const request = needing({ gpuCount: 2, gpuTypes: ["NVIDIA RTX 9"] });
    expect(neverFits(request, [host])).toBeUndefined();
    expect(neverFits({ ...request, amounts: { cores: 5 } }, [host])).toStartWith(LARGE);
  });
});

function needing(needs: Partial<PlaceRequest>): PlaceRequest {
  return { gpuCount: 0, gpuTypes: [], amounts: {}, label: undefined, ...needs };
}

function hostOf(name: string, has: Partial<PlaceHost>): PlaceHost {
  const gpus = { devices: [], outOfUse: [], fault: undefined };
  const state = { isDraining: false, away: undefined, hasImage: true };
  return { name, amounts: {}, labels: [], gpus, ...state, ...has };
}
