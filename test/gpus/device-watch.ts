import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { RecordedCall } from "../docker/recorder.ts";
import type { DockerHost } from "../support/docker-host.ts";

/** The body of a container, without the devices that an engine without a driver would refuse. */
export function withoutDevices({ body }: RecordedCall): unknown {
  if (body?.HostConfig?.DeviceRequests === undefined) return body;
  return { ...body, HostConfig: { ...body.HostConfig, DeviceRequests: undefined } };
}

/** A device and the worker that has it. */
type Holding = `${string} ${string}`;

/** What was found at one moment. */
interface DeviceSight {
  /** Containers, whether they run or not. */
  readonly containers: number;
  readonly workers: readonly string[];
  /** The devices of the containers that run, by what the engine was asked for. */
  readonly held: readonly Holding[];
  /** Undefined while the server does not run. */
  readonly ledger: readonly Holding[] | undefined;
}

/** Compares the ledger of a server with the containers of its engine. */
export class DeviceWatch {
  /** How often it has looked. */
  looks = 0;
  /** Devices that two containers had at once, and devices of containers that were not in the ledger. */
  readonly faults: string[] = [];
  /** False while the server is killed and starts: then a reader could lock its database. */
  isServing = true;
  readonly #host: DockerHost;
  readonly #calls: readonly RecordedCall[];
  readonly #database: string;

  /** `calls` are all that the engine gets. */
  constructor(host: DockerHost, calls: readonly RecordedCall[], data: string) {
    this.#host = host;
    this.#calls = calls;
    this.#database = join(data, "forebay.db");
  }

  /** Undefined if the engine does not answer. */
  async look(): Promise<DeviceSight | undefined> {
    const before = this.#ledger();
    const containers = await this.#host.containers().catch(() => undefined);
    if (containers === undefined) return undefined;
    const ledger = this.#ledger();
    const running = containers.filter(({ State }) => State === "running");
    const workers = running.map(({ Labels }) => String(Labels["io.forebay.worker"]));
    const devices = this.#requested();
    const held = workers.flatMap((worker) => (devices.get(worker) ?? []).map((one) => holding(one, worker)));
    this.looks++;
    this.faults.push(...twice(held));
    if (before !== undefined && ledger !== undefined) {
      // A row is written before the container is created, and goes after it.
      const written = new Set([...before, ...ledger]);
      const unwritten = held.filter((one) => !written.has(one));
      this.faults.push(...unwritten.map((one) => `${one} is not in the ledger`));
    }
    return { containers: containers.length, workers, held, ledger };
  }

  /** Looks until the signal comes. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.look();
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  #ledger(): Holding[] | undefined {
    if (!this.isServing) return undefined;
    using database = new Database(this.#database, { readonly: true });
    database.run("PRAGMA busy_timeout = 10000");
    const rows = database.query<{ device: string; worker: string }, []>("SELECT * FROM allocation").all();
    return rows.map(({ device, worker }) => holding(device, worker));
  }

  /** The devices that the engine was asked for, by worker. */
  #requested(): Map<string, readonly string[]> {
    const creates = this.#calls.filter(({ path }) => path.includes("/containers/create"));
    return new Map(
      creates.map(({ body }) => {
        const [request] = body.HostConfig.DeviceRequests ?? [];
        return [String(body.Labels["io.forebay.worker"]), request?.DeviceIDs ?? []];
      }),
    );
  }
}

function holding(device: string, worker: string): Holding {
  return `${device} ${worker}`;
}

function twice(held: readonly Holding[]): string[] {
  const byDevice = Map.groupBy(held, (one) => one.split(" ")[0] ?? "");
  return [...byDevice].filter(([, all]) => all.length > 1).map(([, all]) => `twice: ${all.join(" and ")}`);
}
