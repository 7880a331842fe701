import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import type { GpuDevice } from "../../src/fleet/gpu/gpu-inventory.ts";
import { type Allocation, place, type PlaceHost, type PlaceRequest } from "../../src/fleet/place.ts";
import { property } from "../contract/property.ts";

const MODELS = ["NVIDIA L40S", "Tesla T4"] as const;
const SLICES = "NVIDIA L40S MIG 1g.10gb";
const LABELS = ["fast", "eu"] as const;

/** Few cards in all, so that hosts share some, as the processes and the Docker Engine of a machine do. */
const CARDS = 5;

const AMOUNTS = fc.record({
  cores: fc.option(fc.nat(4), { nil: undefined }),
  memoryMb: fc.option(fc.nat(4), { nil: undefined }),
});

const HOST = fc.record({
  amounts: AMOUNTS,
  labels: fc.subarray([...LABELS]),
  cards: fc.subarray(Array.from({ length: CARDS }, (_, card) => card)),
  sliced: fc.subarray(Array.from({ length: CARDS }, (_, card) => card)),
  isDraining: fc.boolean(),
  isAway: fc.boolean(),
  hasImage: fc.boolean(),
});

const REQUEST: fc.Arbitrary<PlaceRequest> = fc.record({
  gpuCount: fc.nat(3),
  gpuTypes: fc.shuffledSubarray([...MODELS, SLICES]),
  amounts: AMOUNTS,
  label: fc.option(fc.constantFrom(...LABELS), { nil: undefined, freq: 1 }),
});

/** Up to three hosts, and the workers that come one after the other; some of them end. */
const CASE = fc
  .record({
    hosts: fc.array(HOST, { maxLength: 3 }),
    workers: fc.array(fc.record({ request: REQUEST, ends: fc.boolean() }), { maxLength: 8 }),
  })
  .map(({ hosts, workers }) => ({
    hosts: hosts.map(({ cards, sliced, isAway, isDraining, ...host }, at): PlaceHost => {
      const devices = cards.flatMap((card) => (sliced.includes(card) ? slicesOf(card) : [cardOf(card)]));
      const gpus = { devices, outOfUse: [], fault: undefined };
      // Most hosts can be used.
      const away = isAway && isDraining ? "it does not answer" : undefined;
      return { ...host, name: `h${at}`, gpus, isDraining: isDraining && isAway && at === 1, away };
    }),
    workers,
  }));

describe("whatever the hosts and workers are", () => {
  test("no device is given out twice, and no host gives more than it has", () =>
    property(CASE, 3_000, async ({ hosts, workers }) => {
      for (const { allocations } of steps(hosts, workers)) {
        const devices = allocations.flatMap((one) => one.devices);
        for (const [at, device] of devices.entries()) {
          expect(devices.slice(at + 1).filter((other) => excludeEachOther(device, other))).toEqual([]);
        }
        for (const { name, amounts } of hosts) {
          const own = allocations.filter(({ host }) => host === name);
          for (const kind of ["cores", "memoryMb"] as const) {
            const sum = own.reduce((total, one) => total + (one.amounts[kind] ?? 0), 0);
            expect(sum).toBeLessThanOrEqual(amounts[kind] ?? Infinity);
          }
        }
      }
    }));

  test("a worker is placed if and only if a search of all choices finds one, and that is one of them", () =>
    property(CASE, 3_000, async ({ hosts, workers }) => {
      for (const { request, before, placement } of steps(hosts, workers)) {
        const choices = allChoices(request, hosts, before);
        expect(placement.host !== undefined).toBe(choices.length > 0);
        if (placement.host === undefined) {
          expect(placement.refusals.map(({ host }) => host)).toEqual(hosts.map(({ name }) => name));
          continue;
        }
        const uuids = placement.devices.map(({ uuid }) => uuid).toSorted();
        expect(choices).toContainEqual({ host: placement.host, uuids });
      }
    }));

  test("no host that could give an earlier type is passed over, and of those none with the image", () =>
    property(CASE, 3_000, async ({ hosts, workers }) => {
      for (const { request, before, placement } of steps(hosts, workers)) {
        if (placement.host === undefined) continue;
        const rankOf = ([uuid = ""]: readonly string[]): number =>
          Math.max(0, request.gpuTypes.indexOf(modelOf(hosts, uuid)));
        const hasImage = (name: string): boolean => hosts.some((one) => one.name === name && one.hasImage);
        const choices = allChoices(request, hosts, before);
        const own = rankOf(placement.devices.map(({ uuid }) => uuid));
        expect(own).toBe(Math.min(...choices.map(({ uuids }) => rankOf(uuids))));
        const equals = choices.filter(({ uuids }) => rankOf(uuids) === own);
        expect(hasImage(placement.host)).toBe(equals.some(({ host }) => hasImage(host)));
      }
    }));

  test("the order of hosts, devices and allocations changes nothing", () =>
    property(fc.tuple(CASE, fc.infiniteStream(fc.nat())), 1_000, async ([{ hosts, workers }, numbers]) => {
      const shuffled = <Item>(items: readonly Item[]): Item[] => {
        const keyed = items.map((item) => ({ item, key: Number(numbers.next().value) }));
        return keyed.toSorted((a, b) => a.key - b.key).map(({ item }) => item);
      };
      for (const { request, before, placement } of steps(hosts, workers)) {
        const others = shuffled(hosts).map((host) => {
          const gpus = { ...host.gpus, devices: shuffled(host.gpus.devices) };
          return Object.assign({}, host, { gpus });
        });
        const again = place(request, others, shuffled(before));
        if (placement.host === undefined) expect(again.host).toBeUndefined();
        else expect(again).toEqual(placement);
      }
    }));
});

type Workers = readonly { readonly request: PlaceRequest; readonly ends: boolean }[];

/** Places one worker after the other. */
function steps(hosts: readonly PlaceHost[], workers: Workers) {
  let allocations: readonly Allocation[] = [];
  return workers.map(({ request, ends }) => {
    const before = allocations;
    const placement = place(request, hosts, before);
    if (placement.host !== undefined) {
      const { host, devices } = placement;
      allocations = [...before, { host, amounts: request.amounts, devices }];
    }
    const step = { request, before, placement, allocations };
    if (ends) allocations = allocations.slice(1);
    return step;
  });
}

/** Each host with each set of devices that would do, found by trying all sets. */
function allChoices(request: PlaceRequest, hosts: readonly PlaceHost[], before: readonly Allocation[]) {
  const { gpuCount, gpuTypes, amounts, label } = request;
  const held = before.flatMap(({ devices }) => devices);
  return hosts.flatMap((host) => {
    const own = before.filter(({ host: name }) => name === host.name);
    const isEnough = (["cores", "memoryMb"] as const).every((kind) => {
      const used = own.reduce((sum, one) => sum + (one.amounts[kind] ?? 0), 0);
      const need = amounts[kind];
      return need === undefined || used + need <= (host.amounts[kind] ?? Infinity);
    });
    const isOpen = !host.isDraining && host.away === undefined;
    const isLabelled = label === undefined || host.labels.includes(label);
    if (!isOpen || !isEnough || !isLabelled) return [];
    return subsetsOf(host.gpus.devices)
      .filter((set) => set.length === gpuCount)
      .filter((set) => new Set(set.map(({ name }) => name)).size <= 1)
      .filter((set) => set.every(({ kind }) => kind === "card" || (gpuCount === 1 && gpuTypes.length > 0)))
      .filter((set) => set.every(({ name }) => gpuTypes.length === 0 || gpuTypes.includes(name)))
      .filter((set) => set.every((device) => !held.some((other) => excludeEachOther(device, other))))
      .map((set) => ({ host: host.name, uuids: set.map(({ uuid }) => uuid).toSorted() }));
  });
}

function subsetsOf(devices: readonly GpuDevice[]): GpuDevice[][] {
  const sets: GpuDevice[][] = [[]];
  for (const device of devices) sets.push(...sets.map((set) => [...set, device]));
  return sets;
}

/** The same device, or a card and a slice of it. */
function excludeEachOther(a: Pick<GpuDevice, "uuid" | "card">, b: Pick<GpuDevice, "uuid" | "card">): boolean {
  return a.uuid === b.uuid || a.uuid === b.card || a.card === b.uuid;
}

function modelOf(hosts: readonly PlaceHost[], uuid: string): string {
  const devices = hosts.flatMap(({ gpus }) => gpus.devices);
  return devices.find((device) => device.uuid === uuid)?.name ?? "";
}

function cardOf(card: number): GpuDevice {
  const uuid = `GPU-${card}`;
  const name = MODELS[card % 2 === 0 ? 0 : 1];
  return { uuid, card: uuid, index: card, name, memoryMb: undefined, kind: "card" };
}

function slicesOf(card: number): GpuDevice[] {
  return [0, 1].map((at) => {
    const uuid = `MIG-${card}-${at}`;
    return { uuid, card: `GPU-${card}`, index: card, name: SLICES, memoryMb: undefined, kind: "slice" };
  });
}
