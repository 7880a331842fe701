import { type Endpoint, ENDPOINT_DEFAULTS } from "../../domain/endpoint.ts";
import type { Placement } from "../../domain/placement.ts";
import { commandNameOf, type Template, TEMPLATE_DEFAULTS } from "../../domain/template.ts";
import type { Engine } from "../../engine/engine.ts";
import { isManaged } from "../../engine/launch.ts";
import type { Warning } from "../answers/members.ts";

/** Members of an endpoint that are stored for public clients and change nothing here. */
const STORED_ONLY: Readonly<Record<keyof Placement, string>> = {
  computeType: "It has no effect. Workers get GPUs if gpuCount or gpuTypeIds is set.",
  dataCenterIds: "It has no effect. Workers run on the machines of this deployment.",
  cpuFlavorIds: "It has no effect. Set vcpuCount to limit the cores of a container.",
  instanceIds: "It has no effect. Set vcpuCount and gpuTypeIds instead.",
  allowedCudaVersions: "It has no effect. Forebay does not know the CUDA versions of its machines.",
  minCudaVersion: "It has no effect. Forebay does not know the CUDA versions of its machines.",
  flashboot: "It has no effect. Set workersMin or idleTimeout to avoid cold starts.",
};

/** Members of an endpoint about the machines of its workers, and what carries them to a worker. */
const MACHINE = {
  gpuCount: "gpus",
  gpuTypeIds: "gpus",
  vcpuCount: "cores",
  shmSizeInMb: "shmSizeInMb",
  hostLabel: "hostLabel",
} as const;

const NOT_BY_COMMANDS = "It has no effect on a registered command.";

/** Members of an endpoint that processes can use. */
const UNUSED_BY_COMMANDS: Readonly<Record<string, string>> = {
  vcpuCount: "It has no effect on a registered command. Start the server with --process-cpus to limit cores.",
};

/** Members of a template that change nothing here. */
const UNUSED_IN_TEMPLATES: Readonly<Record<string, string>> = {
  category: "It has no effect. Workers get GPUs if gpuCount or gpuTypeIds of the endpoint is set.",
  isServerless: "It has no effect. Every template is for workers of endpoints.",
};

/** Members of a template about containers. */
const CONTAINER = ["containerDiskInGb", "containerRegistryAuthId", "ports", "volumeInGb", "volumeMountPath"];

/** Members that this call sets to something other than their default, and that have no effect. */
export function endpointWarnings(engine: Engine, endpoint: Endpoint, given: object): Warning[] {
  return warningsOf(given, ENDPOINT_DEFAULTS, { ...STORED_ONLY, ...unusedOnMachines(engine, endpoint) });
}

/** The same for a template. */
export function templateWarnings(template: Template, given: object): Warning[] {
  const isCommand = commandNameOf(template.imageName) !== undefined;
  const unused = isCommand ? CONTAINER : [];
  const reasons = unused.map((field) => [field, NOT_BY_COMMANDS]);
  return warningsOf(given, TEMPLATE_DEFAULTS, { ...UNUSED_IN_TEMPLATES, ...Object.fromEntries(reasons) });
}

/** Why members about machines have no effect on this endpoint. */
function unusedOnMachines(engine: Engine, { id, templateId = "" }: Endpoint): Record<string, string> {
  const template = engine.configuration.get("template", templateId);
  if (template === undefined || !isManaged(engine, id)) {
    const why = "It has no effect. Forebay starts no workers for this endpoint.";
    return Object.fromEntries(Object.keys(MACHINE).map((field) => [field, why]));
  }
  const members = { ...TEMPLATE_DEFAULTS, imageName: template.imageName, env: {} };
  const used = engine.starts.startsFrom(members);
  const unused = Object.entries(MACHINE).filter(([, member]) => !(member in used));
  return Object.fromEntries(unused.map(([field]) => [field, UNUSED_BY_COMMANDS[field] ?? NOT_BY_COMMANDS]));
}

function warningsOf(
  given: object,
  defaults: Readonly<Record<string, unknown>>,
  reasons: Readonly<Record<string, string>>,
): Warning[] {
  return Object.entries(given).flatMap(([field, value]) => {
    const message = Object.hasOwn(reasons, field) ? reasons[field] : undefined;
    // These ask for nothing.
    if (message === undefined || value === undefined || value === null || value === 0) return [];
    return JSON.stringify(value) === JSON.stringify(defaults[field]) ? [] : [{ field, message }];
  });
}
