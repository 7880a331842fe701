import type { Endpoint } from "../domain/endpoint.ts";
import type { ReleaseMembers } from "../domain/release.ts";
import type { Template } from "../domain/template.ts";
import type { WithConfiguration } from "./records/configuration.ts";
import { openEnv } from "./records/sealed-env.ts";
import type { WithSecrets } from "./secret-box.ts";

/** What the providers of this server can start. */
export interface WorkerStarts {
  /** Why Forebay cannot start workers from a template, in one sentence; undefined if it can. */
  readonly refusal: (template: Template) => string | undefined;
  /** Whether Forebay starts workers of this image. */
  readonly runs: (imageName: string) => boolean;
  /** The members from which a worker is really started. A change of others begins no release. */
  readonly startsFrom: (members: ReleaseMembers) => { readonly env: ReleaseMembers["env"] };
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

/** What the workers of an endpoint are started from. */
export interface Launch {
  /** Includes the variables of the endpoint, which override its own. */
  readonly template: Template;
  /** Undefined: none, whatever the category of the template. */
  readonly gpus: { readonly count: number } | undefined;
  /** Cores at most; undefined: as many as the server says. */
  readonly cores: number | undefined;
}

/** What the workers of an endpoint are started from, with this template. */
export function launchFrom(engine: WithSecrets, template: Template, endpoint: Endpoint): Launch {
  const { gpuCount, gpuTypeIds, vcpuCount } = endpoint;
  const count = gpuCount ?? (gpuTypeIds.length > 0 ? 1 : undefined);
  return {
    template: { ...template, env: { ...template.env, ...openEnv(engine, endpoint) } },
    gpus: count === undefined ? undefined : { count },
    cores: vcpuCount,
  };
}
