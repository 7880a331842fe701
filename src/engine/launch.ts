import type { Endpoint } from "../domain/endpoint.ts";
import type { ReleaseMembers } from "../domain/release.ts";
import type { Template } from "../domain/template.ts";
import type { WithConfiguration } from "./records/configuration.ts";
import { openEnv } from "./records/sealed-env.ts";
import type { WithSecrets } from "./secret-box.ts";

/** What the providers of this server say about starting workers. */
export interface WorkerStarts {
  /** Why Forebay cannot start workers from a template, in one sentence; undefined when it can. */
  readonly refusal: (template: Template) => string | undefined;
  /** Whether Forebay starts workers of this image; others come by themselves. */
  readonly runs: (imageName: string) => boolean;
  /** What of these members a worker is started from: a change of anything else begins no release. */
  readonly startsFrom: (members: ReleaseMembers) => { readonly env: ReleaseMembers["env"] };
}

export interface WithWorkerStarts {
  readonly starts: WorkerStarts;
}

/** What says which endpoints have workers that Forebay starts. */
export type ManagedEndpoints = WithConfiguration & WithWorkerStarts;

/** Whether Forebay starts workers for the endpoint; the workers of all others come by themselves. */
export function isManaged({ configuration, starts }: ManagedEndpoints, endpoint: string): boolean {
  const { templateId } = configuration.get("endpoint", endpoint) ?? {};
  const template = templateId === undefined ? undefined : configuration.get("template", templateId);
  return template !== undefined && starts.runs(template.imageName);
}

/** What the workers of an endpoint are started from. */
export interface Launch {
  /** With the variables of the endpoint, which go before its own. */
  readonly template: Template;
  /** Undefined: none, whatever the category of the template. */
  readonly gpus: { readonly count: number } | undefined;
  /** Cores at most; undefined: as many as the server says. */
  readonly cores: number | undefined;
}

/** What the workers of an endpoint start from when its template is this one. */
export function launchFrom(engine: WithSecrets, template: Template, endpoint: Endpoint): Launch {
  const { gpuCount, gpuTypeIds, vcpuCount } = endpoint;
  const count = gpuCount ?? (gpuTypeIds.length > 0 ? 1 : undefined);
  return {
    template: { ...template, env: { ...template.env, ...openEnv(engine, endpoint) } },
    gpus: count === undefined ? undefined : { count },
    cores: vcpuCount,
  };
}
