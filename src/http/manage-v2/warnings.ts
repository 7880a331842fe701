import type { Endpoint } from "../../domain/endpoint.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Template } from "../../domain/template.ts";
import type { EndpointChanges } from "../../engine/records/endpoints.ts";
import type { Warning } from "../answers/members.ts";
import { endpointWarnings, templateWarnings } from "../manage/warnings.ts";

/** The names of v2 for members of our records. */
const NAMES: Readonly<Record<string, string>> = {
  gpuCount: "gpu.count",
  gpuTypeIds: "gpu.pools",
  allowedCudaVersions: "gpu.allowedCudaVersions",
  minCudaVersion: "gpu.minCudaVersion",
  vcpuCount: "cpu.vcpuCount",
  cpuFlavorIds: "cpu.id",
  isServerless: "serverless",
  containerDiskInGb: "disk",
  containerRegistryAuthId: "registry",
  volumeInGb: "mounts.persistent.size",
  volumeMountPath: "mounts.persistent.path",
};

/** Why a member has no effect, where v2 has other members than our record. */
const MESSAGES: Readonly<Record<string, string>> = {
  cpuFlavorIds: "It has no effect. Only vcpuCount limits the cores of a container.",
  flashboot: "It has no effect. Set workers.min or workers.idleTimeout to avoid cold starts.",
};

/** Members of a v2 call that have no effect. `fields`: what the call sets, under the names of our records. */
export function v2EndpointWarnings(engine: Engine, endpoint: Endpoint, fields: EndpointChanges): Warning[] {
  const { computeType: _computeType, ...given } = fields;
  return endpointWarnings(engine, endpoint, given).map(inWordsOfV2);
}

/** The same for a template. `given` is the body of the call. */
export function v2TemplateWarnings(template: Template, fields: object, given: TemplateWishes): Warning[] {
  const { allowedCudaVersions: versions = [] } = given;
  const warnings = templateWarnings(template, fields).map(inWordsOfV2);
  if (given.startSsh === true) warnings.push({ field: "startSsh", message: ONLY_PODS });
  if (given.startJupyter === true) warnings.push({ field: "startJupyter", message: ONLY_PODS });
  if (versions.length > 0) warnings.push({ field: "allowedCudaVersions", message: NO_CUDA });
  return warnings;
}

/** Members of a template of v2 that no record has. */
interface TemplateWishes {
  readonly startSsh?: boolean | undefined;
  readonly startJupyter?: boolean | undefined;
  readonly allowedCudaVersions?: readonly string[] | undefined;
}

const ONLY_PODS = "It has no effect. It is about pods, which Forebay does not have.";
const NO_CUDA = "It has no effect. Forebay does not know the CUDA versions of its machines.";

function inWordsOfV2({ field, message }: Warning): Warning {
  return { field: NAMES[field] ?? field, message: MESSAGES[field] ?? message };
}
