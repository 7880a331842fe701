import type { GpuDevice, GpuInventory } from "../../src/fleet/gpu/gpu-inventory.ts";

/** The model of the cards, if a test does not say another. */
const MODEL = "NVIDIA L40S";

/**
 * The inventory of a host with so many equal cards: `GPU-0`, `GPU-1`, and so on. Cards of other models, or
 * with another prefix, are other cards.
 */
export function cardsOf(
  count: number,
  name = MODEL,
  prefix = name === MODEL ? "GPU" : `GPU-${name}`,
): GpuInventory {
  const devices = Array.from({ length: count }, (_, index): GpuDevice => {
    const uuid = `${prefix}-${index}`;
    return { uuid, card: uuid, index, name, memoryMb: 46_068, kind: "card" };
  });
  return { devices, outOfUse: [], fault: undefined };
}
