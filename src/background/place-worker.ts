import type { Endpoint } from "../domain/endpoint.ts";
import { ForebayError } from "../domain/errors.ts";
import { hostOf, isConfiguredHost } from "../domain/host.ts";
import type { Engine } from "../engine/engine.ts";
import { DeviceTaken } from "../engine/records/put-record.ts";
import { createWorkerToken, type NewWorkerToken, type WorkerKind } from "../engine/records/worker-tokens.ts";
import type { GpuDevice } from "../fleet/gpu/gpu-inventory.ts";
import { type Host, type Hosts, hostsFor } from "../fleet/hosts.ts";
import {
  type Allocation,
  hasLabel,
  place,
  type PlaceHost,
  type PlaceRequest,
  waitSentence,
} from "../fleet/place.ts";
import { placeRequest } from "../fleet/place-host.ts";
import { StartFault } from "../fleet/provider.ts";
import { placeHost } from "./hosts-now.ts";
import type { StartPlan } from "./start-plan.ts";

/** A worker fits nowhere now. The message says why, and what to do. */
export class NoRoom extends StartFault {
  /** Whether it would fit if these workers were gone. */
  readonly fitsWithout: (workers: ReadonlySet<string>) => boolean;

  constructor(message: string, fitsWithout: NoRoom["fitsWithout"]) {
    super(message);
    this.fitsWithout = fitsWithout;
  }
}

/** A worker that is about to start, its host, and the GPUs that it has from now on. */
export interface PlacedWorker extends NewWorkerToken {
  readonly host: Host;
  /** Undefined: it wants none. */
  readonly gpus: readonly GpuDevice[] | undefined;
}

/** What a worker has. Those that are being placed have no id yet. */
interface Placed extends Allocation {
  readonly worker?: string | undefined;
}

interface Chosen {
  readonly host: Host;
  readonly devices: readonly GpuDevice[];
  /** What counts until the record is there. */
  readonly placed: Placed;
}

/** Chooses hosts for new workers. */
export class WorkerPlaces {
  readonly #engine: Engine;
  readonly #hosts: Hosts;
  /** Workers whose records are being written: others that start at the same time must know of them. */
  readonly #placing = new Set<Placed>();

  constructor(engine: Engine, hosts: Hosts) {
    this.#engine = engine;
    this.#hosts = hosts;
  }

  /**
   * Creates the token of a worker, and with it gives the worker a host, and the GPUs, cores and memory that
   * it needs. Throws NoRoom; there is no token then.
   */
  async place(
    endpoint: Endpoint,
    kind: Omit<WorkerKind, "host" | "provider" | "amounts" | "gpus" | "allocation">,
    plan: StartPlan,
  ): Promise<PlacedWorker> {
    const { gpus } = plan;
    for (;;) {
      const { host, devices, placed } = await this.#choose(plan);
      const ledger = devices.map(({ uuid, card }) => ({ device: uuid, card }));
      const allocation = gpus === undefined ? undefined : { host: host.name, devices: ledger };
      try {
        const { amounts } = placed;
        const own = gpus === undefined ? undefined : devices.map(({ uuid, name }) => ({ uuid, name }));
        const where = { host: host.name, provider: host.provider.name, amounts, gpus: own, allocation };
        const created = await createWorkerToken(this.#engine, endpoint, { ...kind, ...where });
        return { ...created, host, gpus: gpus === undefined ? undefined : devices };
      } catch (error) {
        // The inventory can change meanwhile, another server can be faster, or the host is deleted.
        const isOver = error instanceof ForebayError && error.code === "HOST_NOT_FOUND";
        if (!isOver && !(error instanceof DeviceTaken)) throw error;
      } finally {
        this.#placing.delete(placed);
      }
    }
  }

  async #choose(plan: StartPlan): Promise<Chosen> {
    const { imageName } = plan.template;
    const able = hostsFor(this.#hosts, imageName);
    const request = placeRequest(able, plan);
    const hosts = await this.#placeHosts(able, imageName);
    const rows = await this.#engine.store.allocations();
    // Nothing is awaited from here on, so that no two workers that start here get the same place.
    const all = [...this.#allocations(rows), ...this.#placing];
    const placement = place(request, hosts, all);
    const host = able.find(({ name }) => name === placement.host);
    if (placement.host === undefined || host === undefined) throw noRoom(request, hosts, all);
    const { devices } = placement;
    const placed = { host: host.name, amounts: request.amounts, devices };
    this.#placing.add(placed);
    return { host, devices, placed };
  }

  async #placeHosts(able: readonly Host[], imageName: string): Promise<PlaceHost[]> {
    const known = able.map((host) => ({ host, place: placeHost(this.#engine, host) }));
    const open = known.filter(({ place: { away, isDraining } }) => away === undefined && !isDraining);
    // With one host there is nothing to prefer.
    if (open.length < 2) return known.map(({ place: one }) => one);
    return Promise.all(
      known.map(async ({ host, place: one }) => {
        const isAsked = open.some((other) => other.host === host);
        const hasImage = isAsked && (await host.provider.hasImage(imageName));
        return Object.assign(one, { hasImage });
      }),
    );
  }

  /** What all workers have, whether their records are known here or only their rows in the ledger. */
  #allocations(rows: Awaited<ReturnType<Engine["store"]["allocations"]>>): Placed[] {
    const { configuration, server } = this.#engine;
    const devices = Map.groupBy(rows, ({ worker }) => worker);
    const named = configuration.all("worker").flatMap((token): Placed[] => {
      const host = hostOf(token);
      if (host === undefined) return [];
      // A configured host is another one on each server.
      if (isConfiguredHost(host) && (token.server ?? server) !== server) return [];
      const own = devices.get(token.id) ?? [];
      return [{ worker: token.id, host, amounts: token.amounts ?? {}, devices: own.map(asDevice) }];
    });
    const known = new Set(named.map(({ worker }) => worker));
    const others = rows.filter(({ worker }) => !known.has(worker));
    return [
      ...named,
      ...others.map((row) => ({ worker: row.worker, host: row.host, amounts: {}, devices: [asDevice(row)] })),
    ];
  }
}

const IF_BUSY = "It starts when enough resources are free. Stop other workers to start it sooner.";
const IF_CLOSED = "It starts when a suitable host answers or is resumed.";
const IF_UNLABELLED = "Give a host this label (forebay hosts update), or change hostLabel of the endpoint.";
const IF_UNFIT = "It would not fit even without other workers. Lower gpuCount, or fix the host.";

function noRoom(request: PlaceRequest, hosts: readonly PlaceHost[], all: readonly Placed[]): NoRoom {
  const placement = place(request, hosts, all);
  const refusals = placement.host === undefined ? placement.refusals : [];
  const fits = (on: readonly PlaceHost[], among: readonly Placed[]): boolean =>
    place(request, on, among).host !== undefined;
  const open = hosts.map((host) => Object.assign({}, host, { isDraining: false, away: undefined }));
  const isUnlabelled = !hosts.some((host) => hasLabel(host, request.label));
  const unfit = isUnlabelled ? IF_UNLABELLED : IF_UNFIT;
  const advice = fits(hosts, []) ? IF_BUSY : fits(open, []) ? IF_CLOSED : unfit;
  return new NoRoom(`${waitSentence(request, refusals)} ${advice}`, (gone) =>
    fits(
      hosts,
      all.filter(({ worker }) => worker === undefined || !gone.has(worker)),
    ),
  );
}

function asDevice({ device, card }: { readonly device: string; readonly card: string }) {
  return { uuid: device, card };
}
