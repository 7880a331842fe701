import type { GpuDevice, GpuInventory } from "./gpu/gpu-inventory.ts";
import { isOfType } from "./gpu/gpu-types.ts";
import type { WorkerAmounts as Amounts } from "../domain/worker.ts";
import { amountsShown, freeShare, lackingAmount } from "./host-amounts.ts";

/** A machine or engine where workers can run. */
export interface PlaceHost {
  /** Unique. */
  readonly name: string;
  /** What all workers of the host may have together. */
  readonly amounts: Amounts;
  readonly labels: readonly string[];
  readonly gpus: GpuInventory;
  /** It gets no new workers. */
  readonly isDraining: boolean;
  /** Why it cannot be reached, as a clause; undefined if it can. */
  readonly away: string | undefined;
  /** It has the image of the worker. */
  readonly hasImage: boolean;
}

/** What one worker has, from the decision to start it until it is known to be gone. */
export interface Allocation {
  /** The name of its host. */
  readonly host: string;
  readonly amounts: Amounts;
  readonly devices: readonly Pick<GpuDevice, "uuid" | "card">[];
}

/** What a worker needs. */
export interface PlaceRequest {
  readonly gpuCount: number;
  /** The types that it accepts, as clients name them, the preferred one first; empty: any whole card. */
  readonly gpuTypes: readonly string[];
  readonly amounts: Amounts;
  /** The label that the host must have; undefined: any host will do. */
  readonly label: string | undefined;
}

export type Placement =
  | { readonly host: string; readonly devices: readonly GpuDevice[] }
  /** The worker waits: why it fits on none of the hosts. */
  | { readonly host: undefined; readonly refusals: readonly Refusal[] };

/** Why a worker does not fit on a host. */
export interface Refusal {
  readonly host: string;
  /** Follows the name of the host in a sentence, such as `has 1 of 4 NVIDIA L40S free`. */
  readonly reason: string;
}

/**
 * Chooses the host and the devices of one worker. The same input gives the same answer, in whatever order the
 * hosts are. In this order, it prefers: the type of GPU that is named first; a host that has the image; the
 * fewest devices of the model left over, so that hosts stay whole for workers that need many; the largest
 * free share of the host; the fewest workers on it.
 *
 * All devices of a worker are of one model. A slice goes only to a worker that names its type and needs one
 * device, because a program can use one slice only. If there are no hosts, there are no refusals either.
 */
export function place(
  request: PlaceRequest,
  hosts: readonly PlaceHost[],
  allocations: readonly Allocation[],
): Placement {
  const taken = takenDevices(allocations);
  const fits: Fit[] = [];
  const refusals: Refusal[] = [];
  for (const host of hosts) {
    const own = allocations.filter((allocation) => allocation.host === host.name);
    const reason = refusalOf(request, host, own, taken);
    if (reason !== undefined) refusals.push({ host: host.name, reason });
    else fits.push(...fitsOn(request, host, own, taken));
  }
  const [best] = fits.toSorted(byPreference);
  return best === undefined ? { host: undefined, refusals } : { host: best.host.name, devices: best.devices };
}

/** Why the worker waits, as one sentence. */
export function waitSentence(request: PlaceRequest, refusals: readonly Refusal[]): string {
  const hosts = refusals.map(({ host, reason }) => `${host} ${reason}`);
  const why = hosts.length === 0 ? "no host is available" : hosts.join(", ");
  return `The worker needs ${needOf(request)}; ${why}.`;
}

/** Whether the host has the label that a worker needs. */
export function hasLabel({ labels }: Pick<PlaceHost, "labels">, label: string | undefined): boolean {
  return label === undefined || labels.includes(label);
}

/** A host and the devices that the worker could get there. */
interface Fit {
  readonly host: PlaceHost;
  readonly devices: readonly GpuDevice[];
  /** The place of the model in the request. */
  readonly rank: number;
  /** How many free devices of the model would be left. */
  readonly left: number;
  readonly share: number;
  readonly workers: number;
}

/** The devices of all workers. A card and its slices exclude each other. */
interface Taken {
  readonly devices: ReadonlySet<string>;
  /** Cards that a worker has as a whole, and cards of which a worker has a slice. */
  readonly whole: ReadonlySet<string>;
  readonly sliced: ReadonlySet<string>;
}

/** By UUID alone: two hosts can be the same machine, such as its processes and its Docker Engine. */
function takenDevices(allocations: readonly Allocation[]): Taken {
  const all = allocations.flatMap(({ devices }) => devices);
  const [whole, sliced] = [all.filter(isWhole), all.filter((device) => !isWhole(device))];
  const cards = (devices: typeof all): Set<string> => new Set(devices.map(({ card }) => card));
  return { devices: new Set(all.map(({ uuid }) => uuid)), whole: cards(whole), sliced: cards(sliced) };
}

function isWhole({ uuid, card }: Pick<GpuDevice, "uuid" | "card">): boolean {
  return uuid === card;
}

function isFree(device: GpuDevice, taken: Taken): boolean {
  const others = isWhole(device) ? taken.sliced : taken.whole;
  return !taken.devices.has(device.uuid) && !others.has(device.card);
}

/** Undefined if the worker fits. */
function refusalOf(
  request: PlaceRequest,
  host: PlaceHost,
  own: readonly Allocation[],
  taken: Taken,
): string | undefined {
  if (host.isDraining) return "is draining";
  // Why is for the operator alone: it can name users and addresses of the host.
  if (host.away !== undefined) return "is away";
  if (!hasLabel(host, request.label)) return `does not have the label ${request.label}`;
  const lacking = lackingAmount(host.amounts, amountsOf(own), request.amounts);
  if (lacking !== undefined) return lacking;
  const models = modelsOn(request, host);
  if (request.gpuCount === 0 || models.some((model) => freeOf(model, taken).length >= request.gpuCount)) {
    return undefined;
  }
  return gpuRefusal(request, host, models, taken);
}

function gpuRefusal(request: PlaceRequest, { gpus }: PlaceHost, models: Models, taken: Taken): string {
  if (models.length > 0) {
    const counts = models.map(
      (model) => `${freeOf(model, taken).length} of ${model.length} ${nameOf(model)}`,
    );
    return `has ${counts.join(" and ")} free${outOfUseOn(gpus)}`;
  }
  if (gpus.fault !== undefined) return `cannot list its GPUs (${withoutDot(gpus.fault)})`;
  return `${withoutModel(request, gpus)}${outOfUseOn(gpus)}`;
}

/** Why no device that works has a model which the worker accepts. */
function withoutModel({ gpuTypes }: PlaceRequest, { devices, outOfUse }: GpuInventory): string {
  if (devices.length === 0) return outOfUse.length === 0 ? NO_GPU : "has no working GPU";
  if (gpuTypes.length === 0) return "has only MIG slices, which gpuTypeIds must name";
  const isSlice = devices.some(({ name }) => rankOf(name, gpuTypes) >= 0);
  return isSlice ? "has only MIG slices, and a worker can use one" : `has no ${gpuTypes.join(" or ")}`;
}

const NO_GPU = "has no GPU (without nvidia-smi on the server's machine, set FOREBAY_DOCKER_GPU_PROBE)";

/** The cards that nobody gets now, and why. */
function outOfUseOn({ outOfUse }: GpuInventory): string {
  const byReason = [...Map.groupBy(outOfUse, ({ reason }) => reason)];
  const clauses = byReason.map(([reason, gpus]) => `${namesOf(gpus)} out of use: ${withoutDot(reason)}`);
  return clauses.length === 0 ? "" : ` (${clauses.join("; ")})`;
}

function namesOf(gpus: GpuInventory["outOfUse"]): string {
  const names = gpus.map(({ index, uuid }) => String(index ?? uuid ?? "of unknown number"));
  return names.length === 1 ? `GPU ${names.join()} is` : `GPUs ${names.join(", ")} are`;
}

function withoutDot(sentence: string): string {
  return sentence.replace(/\.$/, "");
}

/** Each of the arrays has all devices of one model, taken or free. */
type Models = readonly (readonly GpuDevice[])[];

/** The models of the host that the worker accepts. */
function modelsOn({ gpuTypes, gpuCount }: PlaceRequest, { gpus }: PlaceHost): Models {
  const accepted = gpus.devices.filter(({ name, kind }) => {
    const isNamed = gpuTypes.length === 0 ? kind === "card" : rankOf(name, gpuTypes) >= 0;
    return isNamed && (kind === "card" || gpuCount === 1);
  });
  return [...Map.groupBy(accepted, ({ name }) => name).values()];
}

/** The place of the model among the types that a worker accepts; -1 if it does not accept it. */
function rankOf(model: string, gpuTypes: readonly string[]): number {
  return gpuTypes.findIndex((type) => isOfType(model, type));
}

function freeOf(model: readonly GpuDevice[], taken: Taken): readonly GpuDevice[] {
  const free = model.filter((device) => isFree(device, taken));
  return free.toSorted((a, b) => a.index - b.index || compare(a.uuid, b.uuid));
}

function nameOf([device]: readonly GpuDevice[]): string {
  return device?.name ?? "";
}

function fitsOn(
  request: PlaceRequest,
  host: PlaceHost,
  own: readonly Allocation[],
  taken: Taken,
): readonly Fit[] {
  const { gpuCount, gpuTypes, amounts } = request;
  const share = freeShare(host.amounts, [...amountsOf(own), amounts]);
  const common = { host, share, workers: own.length };
  if (gpuCount === 0) {
    // Such workers go to the hosts with the fewest GPUs that others could use.
    return [{ ...common, devices: [], rank: 0, left: freeOf(host.gpus.devices, taken).length }];
  }
  return modelsOn(request, host).flatMap((model) => {
    const free = freeOf(model, taken);
    if (free.length < gpuCount) return [];
    const rank = Math.max(0, rankOf(nameOf(model), gpuTypes));
    return [{ ...common, devices: free.slice(0, gpuCount), rank, left: free.length - gpuCount }];
  });
}

function amountsOf(allocations: readonly Allocation[]): readonly Amounts[] {
  return allocations.map(({ amounts }) => amounts);
}

function byPreference(a: Fit, b: Fit): number {
  return (
    a.rank - b.rank ||
    Number(b.host.hasImage) - Number(a.host.hasImage) ||
    a.left - b.left ||
    b.share - a.share ||
    a.workers - b.workers ||
    compare(a.host.name, b.host.name) ||
    compare(nameOf(a.devices), nameOf(b.devices))
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function needOf({ gpuCount, gpuTypes, amounts, label }: PlaceRequest): string {
  const unnamed = gpuCount === 1 ? "1 GPU" : `${gpuCount} GPUs of one model`;
  const gpus = gpuTypes.length === 0 ? unnamed : `${gpuCount} × ${gpuTypes.join(" or ")}`;
  const needs = [...(gpuCount === 0 ? [] : [gpus]), ...amountsShown(amounts)];
  const host = label === undefined ? "a host" : `a host with the label ${label}`;
  if (needs.length === 0) return host;
  return label === undefined ? needs.join(", ") : `${needs.join(", ")} on ${host}`;
}
