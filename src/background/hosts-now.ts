import type { HostNow } from "../domain/host.ts";
import type { WithFleet } from "../engine/fleet-state.ts";
import type { WithConfiguration } from "../engine/records/configuration.ts";
import type { WorkerStarts } from "../engine/launch.ts";
import { type Host, type Hosts, hostsFor } from "../fleet/hosts.ts";
import type { PlaceHost } from "../fleet/place.ts";
import { neverFits, placeRequest } from "../fleet/place-host.ts";
import { startsFrom, type StartSettings } from "../fleet/starts-from.ts";

/** What showing hosts needs. */
type HostSight = WithConfiguration & WithFleet;

/** What the settings of the server say of hosts. */
export type HostCalls = StartSettings & Pick<WorkerStarts, "hostRefusal" | "engineAt">;

/** What the engine may ask the hosts, which are there a moment after it: until then no image runs. */
export function workerStarts(
  hosts: { readonly current: Hosts | undefined },
  engine: () => HostSight,
  { hostRefusal, engineAt, ...settings }: HostCalls,
): WorkerStarts {
  const of = (imageName: string) => (hosts.current === undefined ? [] : hostsFor(hosts.current, imageName));
  return {
    // All providers of a kind refuse the same.
    refusal: (template) => of(template.imageName)[0]?.provider.refusal(template),
    runs: (imageName) => of(imageName).length > 0,
    neverFits(imageName, needs) {
      const able = of(imageName);
      if (able.length === 0) return undefined;
      const present = able.map((host) => placeHost(engine(), host));
      return neverFits(placeRequest(able, needs), present);
    },
    startsFrom: (members) => startsFrom(members, settings),
    hosts: () => (hosts.current?.all() ?? []).map((host) => hostNow(engine(), host)),
    hostRefusal,
    engineAt,
  };
}

function hostNow(engine: HostSight, host: Host): HostNow {
  const { devices, outOfUse, fault } = host.gpus();
  return { ...hostState(engine, host), gpus: devices, gpusOutOfUse: outOfUse, gpuFault: fault };
}

/** A host as placement sees it. Whether it has the image is not asked: it is taken to have it. */
export function placeHost(engine: HostSight, host: Host): PlaceHost {
  return { ...hostState(engine, host), gpus: host.gpus(), hasImage: true };
}

/** What a server knows of a host, without its GPUs. */
function hostState(
  { configuration, fleet }: HostSight,
  { name, provider, address, amounts, diskFreeMb }: Host,
): Omit<HostNow, "gpus" | "gpusOutOfUse" | "gpuFault"> {
  const { labels = [], isDraining = false } = configuration.get("host", name) ?? {};
  const away = fleet.awayHosts.get(name)?.reason;
  const machine = { amounts: amounts(), diskFreeMb: diskFreeMb() };
  return { name, kind: provider.name, address, labels, isDraining, away, ...machine };
}
