import { describe, expect, test } from "bun:test";
import { type GpuInventory, inventoryOf, withMissingCards } from "../../src/fleet/gpu/gpu-inventory.ts";
import {
  devicesListed,
  readCards,
  readSlices,
  type SmiAnswer,
} from "../../src/fleet/gpu/nvidia-smi-output.ts";

// The forms are those that drivers print, from public reports; the UUIDs are made up.
const CARD_0 = "GPU-5c89852c-d268-c3f3-1b07-005d5ae1dc3f";
const CARD_1 = "GPU-9c73eb7b-8d6d-6c0e-dc13-97873e2ede40";
const CARD_2 = "GPU-c92e2d5d-4a69-f1cd-4df0-305f8606705a";
const SLICE_0 = "MIG-a686709d-6dc2-542a-8851-0d2508448c10";
const SLICE_1 = "MIG-53864714-0a66-5df2-9007-9268e30d9a72";

const NO_DRIVER =
  "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. " +
  "Make sure that the latest NVIDIA driver is installed and running.";

describe("cards", () => {
  test("two cards without MIG", () => {
    const printed = `0, ${CARD_0}, NVIDIA GeForce RTX 4090, 24564, [N/A]
1, ${CARD_1}, NVIDIA L40S, 46068, Disabled
`;
    expect(inventoryFrom(printed)).toEqual({
      devices: [
        cardOf(0, CARD_0, "NVIDIA GeForce RTX 4090", 24_564),
        cardOf(1, CARD_1, "NVIDIA L40S", 46_068),
      ],
      outOfUse: [],
      fault: undefined,
    });
  });

  test.each(["[N/A]", "N/A", "[Not Supported]", "[Insufficient Permissions]"])(
    "one that works can leave out its memory and MIG mode: %s",
    (untold) => {
      const { devices, outOfUse } = inventoryFrom(`0, ${CARD_0}, NVIDIA GB10, ${untold}, ${untold}\n`);
      expect(devices).toEqual([cardOf(0, CARD_0, "NVIDIA GB10", undefined)]);
      expect(outOfUse).toEqual([]);
    },
  );

  test.each(["[Unknown Error]", "[GPU is lost]", "[GPU requires reset]", "ERR!"])(
    "one of which a value is %s is out of use, and the others are not",
    (value) => {
      const printed = `0, ${CARD_0}, NVIDIA L40S, ${value}, [N/A]\n1, ${CARD_1}, NVIDIA L40S, 46068, [N/A]\n`;
      const { devices, outOfUse, fault } = inventoryFrom(printed);
      expect(devices).toEqual([cardOf(1, CARD_1, "NVIDIA L40S", 46_068)]);
      const reason = `nvidia-smi shows ${value} for the GPU.`;
      expect(outOfUse).toEqual([{ uuid: CARD_0, index: 0, reason }]);
      expect(fault).toBeUndefined();
    },
  );

  test.each([
    [
      "[GPU is lost], [GPU is lost], [GPU is lost], [GPU is lost], [GPU is lost]",
      "nvidia-smi shows [GPU is lost] for the GPU.",
    ],
    ["0, [N/A], NVIDIA L40S, 46068, [N/A]", "nvidia-smi does not show the index and UUID of the GPU."],
  ])("one without a UUID is out of use: %s", (line, reason) => {
    expect(inventoryFrom(`${line}\n`)).toMatchObject({
      devices: [],
      outOfUse: [{ uuid: undefined, reason }],
      fault: undefined,
    });
  });

  test.each([
    [
      "GPU3: 0000:5F:00.0: Unknown Error",
      3,
      "The driver cannot reach the GPU at 0000:5F:00.0: Unknown Error",
    ],
    [
      "GPU0000:25:00.0: Unknown Error",
      undefined,
      "The driver cannot reach the GPU at 0000:25:00.0: Unknown Error",
    ],
    [
      "gpu 0000:23:00.0: Unknown Error",
      undefined,
      "The driver cannot reach the GPU at 0000:23:00.0: Unknown Error",
    ],
    ["GPU2: Unknown Error", 2, "The driver cannot reach the GPU: Unknown Error"],
    ["GPU 0000:01:00.0: Not Found", undefined, "The driver cannot reach the GPU at 0000:01:00.0: Not Found"],
    [
      "GPU 0000:0B:00.0: GPU is lost.  Reboot the system to recover this GPU",
      undefined,
      "The driver cannot reach the GPU at 0000:0B:00.0: GPU is lost.  Reboot the system to recover this GPU",
    ],
    ["GPU0", 0, "The driver cannot reach the GPU."],
  ])("one that the driver cannot reach is out of use, in each wording: %s", (which, index, reason) => {
    const line = `Unable to determine the device handle for ${which}\n`;
    const row = `1, ${CARD_1}, NVIDIA L40S, 46068, [N/A]\n`;
    for (const answer of [ended(line + row, "", 0), ended(row, line, 15)]) {
      const { devices, outOfUse, fault } = inventoryOf(readCards(answer));
      expect(devices.map(({ uuid }) => uuid)).toEqual([CARD_1]);
      expect(outOfUse).toEqual([{ uuid: undefined, index, reason }]);
      expect(fault).toBeUndefined();
    }
  });

  test("say how busy they are, and what programs use of their memory", () => {
    const printed = `0, ${CARD_0}, NVIDIA L40S, 46068, [N/A], 87, 40112
1, ${CARD_1}, NVIDIA Board, 2 GPUs, 46068, Disabled, 0, 0
`;
    expect(inventoryFrom(printed).devices).toEqual([
      { ...cardOf(0, CARD_0, "NVIDIA L40S", 46_068), utilization: 0.87, memoryUsedMb: 40_112 },
      { ...cardOf(1, CARD_1, "NVIDIA Board, 2 GPUs", 46_068), utilization: 0, memoryUsedMb: 0 },
    ]);
  });

  test.each(["[N/A]", "[Not Supported]", "ERR!", "[Unknown Error]", "-1", "101 %", "4e9", ""])(
    "one that prints %j for how busy it is leaves that out, and is used",
    (value) => {
      const printed = `0, ${CARD_0}, NVIDIA L40S, 46068, [N/A], ${value}, ${value}\n`;
      const card = cardOf(0, CARD_0, "NVIDIA L40S", 46_068);
      expect(inventoryFrom(printed)).toEqual({ devices: [card], outOfUse: [], fault: undefined });
    },
  );

  test("a warning between the rows changes nothing", () => {
    const warning = "WARNING: infoROM is corrupted at gpu 0000:88:00.0\n";
    const row = `0, ${CARD_0}, NVIDIA L40S, 46068, [N/A]\n`;
    expect(inventoryFrom(row + warning)).toEqual(inventoryFrom(row));
  });

  test("a machine without any has none, and that is no fault", () => {
    const answer = ended("No devices were found\n", "", 6);
    expect(inventoryOf(readCards(answer))).toEqual({ devices: [], outOfUse: [], fault: undefined });
  });

  test.each([
    [`${NO_DRIVER}\n\n`, 9, `nvidia-smi ended with exit code 9: ${NO_DRIVER}`],
    [
      "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 580.126\n",
      18,
      "nvidia-smi ended with exit code 18: Failed to initialize NVML: Driver/library version mismatch",
    ],
    [
      'Field "mig.mode.current" is not a valid field to query.\n\n',
      2,
      'nvidia-smi ended with exit code 2: Field "mig.mode.current" is not a valid field to query.',
    ],
    ["", 1, "nvidia-smi ended with exit code 1 without output."],
    ["", undefined, "nvidia-smi was killed without output."],
  ])("if the program fails, the fault is what it says: %j", (printed, exitCode, fault) => {
    const answer = { stdout: printed, stderr: "", exitCode };
    expect(inventoryOf(readCards(answer))).toEqual({ devices: [], outOfUse: [], fault });
  });
});

describe("MIG slices", () => {
  const CARDS = `0, ${CARD_0}, NVIDIA A100-SXM4-80GB, 81920, Disabled
1, ${CARD_1}, NVIDIA A100-SXM4-80GB, 81920, Enabled
2, ${CARD_2}, NVIDIA A100-SXM4-80GB, [Insufficient Permissions], Enabled
`;

  test("take the place of their card", () => {
    const list = `GPU 0: NVIDIA A100-SXM4-80GB (UUID: ${CARD_0})
GPU 1: NVIDIA A100-SXM4-80GB (UUID: ${CARD_1})
  MIG 3g.40gb     Device  0: (UUID: ${SLICE_0})
  MIG 1g.10gb+me  Device  1: (UUID: ${SLICE_1})
GPU 2: NVIDIA A100-SXM4-80GB (UUID: ${CARD_2})
  MIG 1c.3g.40gb  Device  0: (UUID: MIG-${CARD_2}/1/0)
`;
    const { devices, outOfUse } = inventoryFrom(CARDS, list);
    expect(outOfUse).toEqual([]);
    expect(devicesListed(ended(list, "", 0))).toEqual(devices.map(({ uuid }) => uuid));
    const slice = { kind: "slice", card: CARD_1, index: 1 } as const;
    expect(devices).toEqual([
      cardOf(0, CARD_0, "NVIDIA A100-SXM4-80GB", 81_920),
      { ...slice, uuid: SLICE_0, name: "NVIDIA A100-SXM4-80GB MIG 3g.40gb", memoryMb: 40_960 },
      { ...slice, uuid: SLICE_1, name: "NVIDIA A100-SXM4-80GB MIG 1g.10gb+me", memoryMb: 10_240 },
      {
        ...slice,
        card: CARD_2,
        index: 2,
        // Drivers before 470 name slices in this form.
        uuid: `MIG-${CARD_2}/1/0`,
        name: "NVIDIA A100-SXM4-80GB MIG 1c.3g.40gb",
        memoryMb: 40_960,
      },
    ]);
  });

  test("a card that has none is out of use", () => {
    const list = `GPU 0: NVIDIA A100-SXM4-80GB (UUID: ${CARD_0})
Unable to determine the device handle for gpu 0000:43:00.0: Unknown Error
GPU 2: NVIDIA A100-SXM4-80GB (UUID: ${CARD_2})
  MIG 7g.80gb     Device  0: (UUID: ${SLICE_0})
`;
    const { devices, outOfUse } = inventoryFrom(CARDS, list);
    expect(devices.map(({ uuid }) => uuid)).toEqual([CARD_0, SLICE_0]);
    const reason = "MIG is enabled and the card has no slices. Create slices, or disable MIG.";
    expect(outOfUse).toEqual([{ uuid: CARD_1, index: 1, reason }]);
  });

  test("if they cannot be listed, cards with MIG are out of use with the reason", () => {
    const failure = readSlices(ended("", "Failed to initialize NVML: Unknown Error\n", 255));
    const { devices, outOfUse } = inventoryOf(readCards(ended(CARDS, "", 0)), failure);
    expect(devices.map(({ uuid }) => uuid)).toEqual([CARD_0]);
    const reason = "nvidia-smi ended with exit code 255: Failed to initialize NVML: Unknown Error";
    expect(outOfUse.map((one) => one.reason)).toEqual([reason, reason]);
  });
});

describe("a card that was there before", () => {
  const both = `0, ${CARD_0}, NVIDIA L40S, 46068, [N/A]\n1, ${CARD_1}, NVIDIA L40S, 46068, [N/A]\n`;
  const [first = ""] = both.split("\n");

  test("is out of use when the driver no longer lists it, until it does", () => {
    const known = new Map<string, number>();
    expect(withMissingCards(inventoryFrom(both), known).outOfUse).toEqual([]);
    const { devices, outOfUse } = withMissingCards(inventoryFrom(first), known);
    expect(devices.map(({ uuid }) => uuid)).toEqual([CARD_0]);
    expect(outOfUse).toEqual([{ uuid: CARD_1, index: 1, reason: "The driver no longer lists the GPU." }]);
    expect(withMissingCards(inventoryFrom(both), known)).toEqual(inventoryFrom(both));
  });

  test("is recognized by its index in the line about a card that the driver cannot reach", () => {
    const known = new Map<string, number>();
    withMissingCards(inventoryFrom(both), known);
    const line = "Unable to determine the device handle for GPU1: 0000:5F:00.0: Unknown Error";
    const reason = "The driver cannot reach the GPU at 0000:5F:00.0: Unknown Error";
    const { outOfUse } = withMissingCards(inventoryFrom(`${line}\n${first}\n`), known);
    expect(outOfUse).toEqual([{ uuid: CARD_1, index: 1, reason }]);
  });

  test("is out of use with the fault when nothing can be read", () => {
    const known = new Map<string, number>();
    withMissingCards(inventoryFrom(both), known);
    const fault = "Driver/library version mismatch";
    const { devices, outOfUse } = withMissingCards({ devices: [], outOfUse: [], fault }, known);
    expect(devices).toEqual([]);
    expect(outOfUse).toEqual([
      { uuid: CARD_0, index: 0, reason: fault },
      { uuid: CARD_1, index: 1, reason: fault },
    ]);
  });
});

function inventoryFrom(cards: string, list?: string): GpuInventory {
  const slices = list === undefined ? undefined : readSlices(ended(list, "", 0));
  return inventoryOf(readCards(ended(cards, "", 0)), slices);
}

function ended(stdout: string, stderr: string, exitCode: number): SmiAnswer {
  return { stdout, stderr, exitCode };
}

function cardOf(index: number, uuid: string, name: string, memoryMb: number | undefined) {
  return { uuid, card: uuid, index, name, memoryMb, kind: "card" } as const;
}
