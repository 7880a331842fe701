import { expect, test } from "bun:test";
import type { GpuInventory } from "../../src/fleet/gpu/gpu-inventory.ts";
import { WatchedGpus } from "../../src/fleet/gpu/watched-gpus.ts";
import { cardsOf } from "../support/gpu-inventories.ts";
import { MemoryLog } from "../support/memory-log.ts";

test("a GPU that fails is in the log once as long as it lasts, and again when it comes back", async () => {
  const log = new MemoryLog();
  const well = cardsOf(1);
  const outOfUse = [{ uuid: "GPU-1", index: 1, reason: "The driver no longer lists the GPU." }];
  const failing: GpuInventory = { ...well, outOfUse };
  let now = failing;
  const gpus = new WatchedGpus({ read: async () => now, host: "local", log });
  expect(gpus.inventory.fault).toBe("The GPUs have not been read yet.");

  await gpus.look();
  await gpus.look();
  expect(gpus.inventory).toBe(failing);
  expect(log.entries.map(({ fields }) => fields?.["reason"])).toEqual([
    "GPU 1, GPU-1: The driver no longer lists the GPU.",
  ]);

  now = well;
  await gpus.look();
  now = failing;
  await gpus.look();
  expect(log.entries).toHaveLength(2);
});
