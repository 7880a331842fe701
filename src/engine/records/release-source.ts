import type { Endpoint } from "../../domain/endpoint.ts";
import type { ReleaseMembers } from "../../domain/release.ts";
import { digestOf } from "../digest.ts";
import { launchFrom, type WithWorkerStarts } from "../launch.ts";
import type { WithSecrets } from "../secret-box.ts";
import type { StoredTemplate } from "./record-bodies.ts";
import { openTemplate } from "./sealed-env.ts";

/** What reading the source of a release needs. */
export type ReleaseSources = WithSecrets & WithWorkerStarts;

/** Two digests of the members from which workers start. */
export interface Fingerprint {
  /** Of all members that some provider uses to start a worker. */
  readonly source: string;
  /** Of the members that the provider of this image uses. */
  readonly effect: string;
}

const fingerprints = new WeakMap<StoredTemplate, WeakMap<Endpoint, Fingerprint>>();

/**
 * The members of a template and an endpoint from which their workers start. This is the only list of them.
 */
export function releaseMembers(
  engine: WithSecrets,
  stored: StoredTemplate,
  endpoint: Endpoint,
): ReleaseMembers {
  const launch = launchFrom(engine, openTemplate(engine, stored), endpoint);
  const { template, gpus, cores, shmSizeInMb, hostLabel } = launch;
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
    shmSizeInMb,
    hostLabel,
  };
}

/** Equal for equal members, whatever else their records contain. */
export function fingerprintOf(
  engine: ReleaseSources,
  template: StoredTemplate,
  endpoint: Endpoint,
): Fingerprint {
  const known = fingerprints.get(template) ?? new WeakMap<Endpoint, Fingerprint>();
  fingerprints.set(template, known);
  const earlier = known.get(endpoint);
  if (earlier !== undefined) return earlier;
  const members = releaseMembers(engine, template, endpoint);
  const fingerprint = { source: digestOfMembers(members), effect: effectOf(engine, members) };
  known.set(endpoint, fingerprint);
  return fingerprint;
}

/** Equal for members from which the same worker is started. */
export function effectOf(engine: WithWorkerStarts, members: ReleaseMembers): string {
  return digestOfMembers(engine.starts.startsFrom(members));
}

function digestOfMembers({ env, ...members }: { readonly env: ReleaseMembers["env"] }): string {
  const names = Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1));
  return digestOf(JSON.stringify([members, names]));
}
