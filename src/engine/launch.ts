import type { Endpoint } from "../domain/endpoint.ts";
import type { HostCertificates, HostNow } from "../domain/host.ts";
import type { ReleaseMembers } from "../domain/release.ts";
import type { Template } from "../domain/template.ts";
import type { WantedGpus } from "../domain/worker.ts";
import type { WithConfiguration } from "./records/configuration.ts";
import { openEnv } from "./records/sealed-env.ts";
import type { WithSecrets } from "./secret-box.ts";

/** What the providers of this server can start. */
export interface WorkerStarts {
  /** Why Forebay cannot start workers from a template, in one sentence; undefined if it can. */
  readonly refusal: (template: Template) => string | undefined;
  /** Whether Forebay starts workers of this image. */
  readonly runs: (imageName: string) => boolean;
  /** Why no host can run such a worker, even with nothing else on it, in sentences; undefined if one may. */
  readonly neverFits: (imageName: string, needs: WorkerNeeds) => string | undefined;
  /** The members from which a worker is really started. A change of others begins no release. */
  readonly startsFrom: (members: ReleaseMembers) => { readonly env: ReleaseMembers["env"] };
  /** The hosts as this server sees them: the configured ones, then the others by name. */
  readonly hosts: () => readonly HostNow[];
  /**
   * Connects to the engine at this address once. Answers why no host can be there, in a sentence that begins
   * with the member of the call that is wrong; undefined if the engine answers. Takes half a minute at most.
   */
  readonly hostRefusal: (
    address: string,
    certificates: HostCertificates | undefined,
  ) => Promise<string | undefined>;
  /** A text that is equal for all spellings of the address of one engine. */
  readonly engineAt: (address: string) => Promise<string>;
}

export interface WithWorkerStarts {
  readonly starts: WorkerStarts;
}

/** What finding the endpoints needs whose workers Forebay starts. */
export type ManagedEndpoints = WithConfiguration & WithWorkerStarts;

/** Whether Forebay starts workers for the endpoint. */
export function isManaged({ configuration, starts }: ManagedEndpoints, endpoint: string): boolean {
  const { templateId } = configuration.get("endpoint", endpoint) ?? {};
  const template = templateId === undefined ? undefined : configuration.get("template", templateId);
  return template !== undefined && starts.runs(template.imageName);
}

/** What a worker needs of its host. */
export type WorkerNeeds = Pick<Launch, "gpus" | "cores" | "hostLabel">;

/** What the workers of an endpoint are started from. */
export interface Launch {
  /** Includes the variables of the endpoint, which override its own. */
  readonly template: Template;
  /** Undefined: none, whatever the category of the template. */
  readonly gpus: WantedGpus | undefined;
  /** Cores at most; undefined: as many as the server says. */
  readonly cores: number | undefined;
  /** As those of the endpoint. */
  readonly shmSizeInMb: number | undefined;
  readonly hostLabel: string | undefined;
}

/** What the workers of an endpoint are started from, with this template. */
export function launchFrom(engine: WithSecrets, template: Template, endpoint: Endpoint): Launch {
  return {
    template: { ...template, env: { ...template.env, ...openEnv(engine, endpoint) } },
    ...needsOf(endpoint),
    shmSizeInMb: endpoint.shmSizeInMb,
  };
}

/** What each worker of an endpoint needs of the host where it runs. */
export function needsOf({ gpuCount, gpuTypeIds, vcpuCount, hostLabel }: Endpoint): WorkerNeeds {
  const isTyped = gpuTypeIds.length > 0;
  const count = gpuCount ?? (isTyped ? 1 : undefined);
  return {
    gpus: count === undefined ? undefined : { count, types: isTyped ? gpuTypeIds : undefined },
    cores: vcpuCount,
    hostLabel,
  };
}
