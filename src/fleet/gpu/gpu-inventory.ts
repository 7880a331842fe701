import {
  type Card,
  type CardTable,
  type CardUse,
  type GpuOutOfUse,
  memoryOfProfile,
  type SliceTable,
} from "./nvidia-smi-output.ts";

/**
 * A device that one worker can have for itself: a card, or a MIG slice of one. How busy it is, is known of
 * cards only.
 */
export interface GpuDevice extends CardUse {
  readonly uuid: string;
  /** The UUID of its card; that of the device itself if it is a whole card. */
  readonly card: string;
  /** The number of its card. */
  readonly index: number;
  /** The model as programs see it, such as `NVIDIA L40S` or `NVIDIA A100-SXM4-40GB MIG 3g.20gb`. */
  readonly name: string;
  /** MiB; undefined if the driver does not tell. */
  readonly memoryMb: number | undefined;
  readonly kind: "card" | "slice";
}

/** The GPUs of a host. */
export interface GpuInventory {
  readonly devices: readonly GpuDevice[];
  /** Cards that no worker may get now. */
  readonly outOfUse: readonly GpuOutOfUse[];
  /** Why nothing could be read, in a sentence; undefined if it could, or if the host has no GPU. */
  readonly fault: string | undefined;
}

/** The inventory of a host without GPUs. */
export const NO_GPUS: GpuInventory = { devices: [], outOfUse: [], fault: undefined };

/** The inventory of a host whose GPUs cannot be read, for this reason: a sentence. */
export function unreadGpus(fault: string): GpuInventory {
  return { ...NO_GPUS, fault };
}

/** Whether the host has GPUs, also such that cannot be used or read now. */
export function hasGpus({ devices, outOfUse, fault }: GpuInventory): boolean {
  return devices.length + outOfUse.length > 0 || fault !== undefined;
}

/** The devices of a machine. `slices` is undefined if no card is sliced. */
export function inventoryOf({ cards, outOfUse, fault }: CardTable, slices?: SliceTable): GpuInventory {
  const devices = cards.map((card) => (card.isSliced ? slicesOf(card, slices) : [wholeCard(card)]));
  const empty = cards
    .filter((_, at) => devices[at]?.length === 0)
    .map(({ uuid, index }) => ({ uuid, index, reason: slices?.fault ?? NO_SLICES }));
  return { devices: devices.flat(), outOfUse: [...outOfUse, ...empty], fault };
}

/**
 * Adds the cards that were there before and that the driver no longer lists, with the reason. `known` has the
 * cards of all earlier inventories by UUID, and learns those of this one.
 */
export function withMissingCards(inventory: GpuInventory, known: Map<string, number>): GpuInventory {
  const { devices, outOfUse, fault } = inventory;
  for (const { card, index } of devices) known.set(card, index);
  const listed = new Set([...devices.map(({ card }) => card), ...outOfUse.map(({ uuid }) => uuid)]);
  const missing = [...known].filter(([uuid]) => !listed.has(uuid));
  const named = new Set<GpuOutOfUse>();
  const added = missing.map(([uuid, index]) => {
    // The driver may know only the index of a card that it cannot reach.
    const same = outOfUse.find((one) => one.uuid === undefined && one.index === index);
    if (same !== undefined) named.add(same);
    return { uuid, index, reason: same?.reason ?? fault ?? MISSING };
  });
  return { devices, outOfUse: [...outOfUse.filter((one) => !named.has(one)), ...added], fault };
}

const NO_SLICES = "MIG is enabled and the card has no slices. Create slices, or disable MIG.";
const MISSING = "The driver no longer lists the GPU.";

function wholeCard({ uuid, index, name, memoryMb, utilization, memoryUsedMb }: Card): GpuDevice {
  return { uuid, card: uuid, index, name, memoryMb, kind: "card", utilization, memoryUsedMb };
}

function slicesOf({ uuid: card, index, name }: Card, table: SliceTable | undefined): GpuDevice[] {
  const own = (table?.slices ?? []).filter((slice) => slice.card === card);
  return own.map(({ uuid, profile }) => {
    const memoryMb = memoryOfProfile(profile);
    return { uuid, card, index, name: `${name} MIG ${profile}`, memoryMb, kind: "slice" };
  });
}
