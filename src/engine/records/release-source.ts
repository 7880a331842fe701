import type { Endpoint } from "../../domain/endpoint.ts";
import type { ReleaseMembers } from "../../domain/release.ts";
import { digestOf } from "../digest.ts";
import type { Engine } from "../engine.ts";
import { launchFrom } from "../launch-from.ts";
import { openTemplate, type StoredTemplate } from "./stored-template.ts";

const fingerprints = new WeakMap<StoredTemplate, WeakMap<Endpoint, string>>();

/** The members of a template and an endpoint that their workers start from: the one list of them. */
export function releaseMembers(engine: Engine, stored: StoredTemplate, endpoint: Endpoint): ReleaseMembers {
  const { template, gpus, cores } = launchFrom(engine, openTemplate(engine, stored), endpoint);
  return {
    imageName: template.imageName,
    containerRegistryAuthId: template.containerRegistryAuthId,
    dockerEntrypoint: template.dockerEntrypoint,
    dockerStartCmd: template.dockerStartCmd,
    env: template.env,
    ports: template.ports,
    containerDiskInGb: template.containerDiskInGb,
    volumeInGb: template.volumeInGb,
    volumeMountPath: template.volumeMountPath,
    gpus,
    cores,
  };
}

/** The same for the same members, whatever else their records say. */
export function fingerprintOf(engine: Engine, template: StoredTemplate, endpoint: Endpoint): string {
  const known = fingerprints.get(template) ?? new WeakMap<Endpoint, string>();
  fingerprints.set(template, known);
  const fingerprint = known.get(endpoint) ?? digestOfMembers(releaseMembers(engine, template, endpoint));
  known.set(endpoint, fingerprint);
  return fingerprint;
}

function digestOfMembers({ env, ...members }: ReleaseMembers): string {
  const names = Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1));
  return digestOf(JSON.stringify([members, names]));
}
