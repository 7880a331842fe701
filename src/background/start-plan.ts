import type { Endpoint } from "../domain/endpoint.ts";
import { type ReleaseMembers, servingBefore } from "../domain/release.ts";
import { commandNameOf, registryOf, type Template } from "../domain/template.ts";
import type { Engine } from "../engine/engine.ts";
import type { StoredRelease } from "../engine/records/record-bodies.ts";
import { credentialsOf } from "../engine/records/registry-logins.ts";
import { ensureRelease } from "../engine/records/releases.ts";
import { releaseMembersIn } from "../engine/records/stored-release.ts";
import { usableTemplateOf } from "../engine/records/templates.ts";
import { type Hosts, hostsFor } from "../fleet/hosts.ts";
import { type RegistryLogin, StartFault, type WorkerOrder } from "../fleet/provider.ts";

/** What a worker of an endpoint is started from. */
export interface StartPlan extends Pick<WorkerOrder, "template" | "cores" | "shmSizeInMb" | "login"> {
  /** Undefined: none. */
  readonly gpus: ReleaseMembers["gpus"];
  /** The label of the hosts where it may run; undefined: any. */
  readonly hostLabel: ReleaseMembers["hostLabel"];
  readonly release: StoredRelease;
}

/**
 * The plan for a worker of the newest release. With `isEarlier`, and while the newest release is paused, the
 * worker is of the version that served before. Throws StartFault and TEMPLATE_NOT_FOUND.
 */
export async function startPlan(
  engine: Engine,
  hosts: Hosts,
  endpoint: Endpoint,
  isEarlier: boolean,
): Promise<StartPlan> {
  // Who may no longer use the template may not use a release of it either.
  const present = usableTemplateOf(engine, endpoint.account, endpoint.templateId ?? "");
  const newest = await ensureRelease(engine, endpoint.id);
  const isBefore = isEarlier && newest?.paused !== undefined;
  const release = isBefore ? servingBefore(engine.configuration.releases(endpoint.id), newest) : newest;
  if (release === undefined)
    throw new StartFault(`No host can run ${present.imageName}. Add a host for it, or change the image.`);
  const { gpus, cores, shmSizeInMb, hostLabel, ...members } = releaseMembersIn(engine, release);
  const template = { ...present, ...members, imageName: release.pinnedImage ?? members.imageName };
  if (hostsFor(hosts, template.imageName).length === 0)
    throw new StartFault(`No host can run ${template.imageName}. Add a host for it, or change the image.`);
  const login = loginFor(engine, template);
  return { release, template, gpus, cores, shmSizeInMb, hostLabel, login };
}

/**
 * The login with which the image of the template is pulled; undefined: none. It goes only to the registry
 * that the author of the template names, who also owns the login. Throws StartFault if the login does not
 * exist.
 */
function loginFor(engine: Engine, template: Template): RegistryLogin | undefined {
  const { imageName, containerRegistryAuthId: id } = template;
  if (id === "" || commandNameOf(imageName) !== undefined) return undefined;
  const credentials = credentialsOf(engine, id);
  if (credentials === undefined) {
    throw new StartFault(
      `Template ${template.id} uses registry login ${id}, which does not exist. Choose another login.`,
    );
  }
  return { server: registryOf(imageName), ...credentials };
}
