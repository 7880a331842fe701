import type { ReleaseMembers } from "../domain/release.ts";
import { hasLabel, place, type PlaceHost, type PlaceRequest, waitSentence } from "./place.ts";
import { isKnownType, isOfType } from "./gpu/gpu-types.ts";
import type { Host } from "./hosts.ts";

/**
 * What a worker needs of its host if it starts from these members. The hosts are those that can run it: they
 * are of one kind, and so limit workers in the same way.
 */
export function placeRequest(
  [host]: readonly Host[],
  { gpus, cores, hostLabel }: Pick<ReleaseMembers, "gpus" | "cores" | "hostLabel">,
): PlaceRequest {
  const amounts = host?.taken(cores) ?? {};
  return { gpuCount: gpus?.count ?? 0, gpuTypes: gpus?.types ?? [], amounts, label: hostLabel };
}

/**
 * Why the worker could run on none of the hosts, even with nothing else on them, in sentences. Undefined if
 * it could, or if nobody knows: the GPUs of a host cannot be read now, or some are out of use.
 */
export function neverFits(request: PlaceRequest, hosts: readonly PlaceHost[]): string | undefined {
  const empty = hosts.map((host) => ({ ...host, isDraining: false, away: undefined }));
  const unlabelled = unlabelledSentence(request, hosts);
  if (unlabelled !== undefined) return unlabelled;
  const unsure = new Set(empty.filter(({ gpus }) => gpus.fault !== undefined || gpus.outOfUse.length > 0));
  if (unsure.size === 0) {
    const unknown = unknownType(request, empty);
    if (unknown !== undefined) {
      return `gpuTypeIds: ${JSON.stringify(unknown)} is not the name of a GPU. ${namesOn(empty)}`;
    }
  }
  const fits = empty.some((host) => {
    const asked = unsure.has(host) ? { ...request, gpuCount: 0 } : request;
    return place(asked, [host], []).host !== undefined;
  });
  if (fits) return undefined;
  const placement = place(request, empty, []);
  const refusals = placement.host === undefined ? placement.refusals : [];
  const names = request.gpuTypes.length > 0 ? ` ${namesOn(empty)}` : "";
  return `No host is large enough, even when empty. ${waitSentence(request, refusals)}${names}`;
}

/** Why no host has the label, whatever else it has; undefined if one has it. */
function unlabelledSentence({ label }: PlaceRequest, hosts: readonly PlaceHost[]): string | undefined {
  if (hosts.some((host) => hasLabel(host, label))) return undefined;
  return (
    `hostLabel: none of the hosts that could run these workers has the label ${label}. ` +
    "Choose another label, or ask the operator to give a host this one."
  );
}

function unknownType({ gpuTypes }: PlaceRequest, hosts: readonly PlaceHost[]): string | undefined {
  const models = modelsOn(hosts);
  return gpuTypes.find((type) => !isKnownType(type) && !models.some((model) => isOfType(model, type)));
}

function namesOn(hosts: readonly PlaceHost[]): string {
  const models = modelsOn(hosts);
  return models.length === 0 ? "No host has a GPU." : `Available GPUs: ${models.join(", ")}.`;
}

function modelsOn(hosts: readonly PlaceHost[]): string[] {
  const names = hosts.flatMap(({ gpus }) => gpus.devices.map(({ name }) => name));
  return [...new Set(names)].toSorted();
}
