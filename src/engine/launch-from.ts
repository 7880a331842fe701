import type { Endpoint } from "../domain/endpoint.ts";
import type { Template } from "../domain/template.ts";
import type { Engine } from "./engine.ts";
import { openEnv } from "./records/sealed-env.ts";

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
export function launchFrom(engine: Engine, template: Template, endpoint: Endpoint): Launch {
  const { gpuCount, gpuTypeIds, vcpuCount } = endpoint;
  const count = gpuCount ?? (gpuTypeIds.length > 0 ? 1 : undefined);
  return {
    template: { ...template, env: { ...template.env, ...openEnv(engine, endpoint) } },
    gpus: count === undefined ? undefined : { count },
    cores: vcpuCount,
  };
}
