import { expect } from "bun:test";
import type { SeededRandom } from "../crash/seeded-random.ts";
import type { DockerHost } from "../support/docker-host.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";
import type { DeviceWatch } from "./device-watch.ts";

/** How many workers the endpoint has, with a GPU each. */
export const WORKERS = 8;

/** How long the fleet may take until it is whole, or gone, ms. */
const REST = 120_000;

/** What can be killed. */
const VICTIMS = ["worker", "worker", "server", "server", "engine", "server and engine"] as const;

type Victim = (typeof VICTIMS)[number];

const ALL = { workersMin: WORKERS, workersMax: WORKERS };

interface StormParts {
  readonly server: ServerProcess;
  readonly host: DockerHost;
  readonly watch: DeviceWatch;
  readonly endpoint: string;
  readonly random: SeededRandom;
}

/** Eight workers in containers, and what can happen to them. */
export class GpuStorm {
  /** How many of each were killed. */
  readonly #killed = new Map<Victim, number>();
  /** How long it took after each kill until the fleet was whole, ms. */
  readonly #recoveries: number[] = [];
  readonly #server: ServerProcess;
  readonly #host: DockerHost;
  readonly #watch: DeviceWatch;
  readonly #endpoint: string;
  readonly #random: SeededRandom;
  #releases = 0;

  constructor({ server, host, watch, endpoint, random }: StormParts) {
    this.#server = server;
    this.#host = host;
    this.#watch = watch;
    this.#endpoint = endpoint;
    this.#random = random;
  }

  /** Starts the workers. */
  async begin(): Promise<void> {
    await this.#patch(ALL);
    await this.#whole();
  }

  /** A release, another worker in place of one, or fewer of them for a while. It goes on during a kill. */
  async change(): Promise<void> {
    const what = this.#random.integer(0, 5);
    if (what === 0) await this.#patch({ env: { RELEASE: String(++this.#releases) } });
    if (what === 1) await this.#replaceOne();
    if (what === 2) await this.#patch({ workersMin: WORKERS / 2, workersMax: WORKERS / 2 });
  }

  /** Kills something, starts it again, and waits until the fleet is whole. */
  async kill(): Promise<void> {
    const victim = this.#random.pick(VICTIMS);
    this.#killed.set(victim, (this.#killed.get(victim) ?? 0) + 1);
    const at = performance.now();
    if (victim === "worker") await this.#killWorker();
    const hasServer = victim.includes("server");
    const hasEngine = victim.includes("engine");
    // A call is under way: nobody knows whether it did anything.
    if (hasServer) {
      this.#watch.isServing = false;
      await Promise.all([this.change().catch(() => undefined), this.#server.kill()]);
    }
    if (hasEngine) await this.#host.kill();
    await Promise.all([
      hasServer ? this.#server.startAgain() : undefined,
      hasEngine ? this.#host.startAgain() : undefined,
    ]);
    this.#watch.isServing = true;
    await this.#patch(ALL);
    await this.#whole();
    this.#recoveries.push(performance.now() - at);
  }

  /** Stops all workers: no container is left, and no device is taken. */
  async end(): Promise<void> {
    await this.#patch({ workersMin: 0, workersMax: 0 });
    await until(
      "nothing is left",
      async () => {
        const sight = await this.#watch.look();
        return sight?.containers === 0 && sight.ledger?.length === 0;
      },
      REST,
    );
    expect(this.#watch.faults).toEqual([]);
  }

  /** How many of each were killed, and how long the fleet took to be whole again, in words. */
  figures(): string {
    const killed = [...this.#killed].map(([victim, count]) => `${victim}: ${count}`).join(", ");
    const seconds = this.#recoveries.toSorted((a, b) => a - b).map((ms) => (ms / 1_000).toFixed(1));
    const median = seconds[Math.floor(seconds.length / 2)];
    return `kills (${killed}), whole again after ${median} s (median), ${seconds.at(-1)} s (most)`;
  }

  /** All workers run and have called, each has a GPU, and the ledger says the same. */
  async #whole(): Promise<void> {
    await until("the fleet is whole", () => this.#isWhole(), REST).catch(async (cause: unknown) => {
      const fleet = await this.#server.get(`/v1/endpoints/${this.#endpoint}`);
      throw new Error(JSON.stringify({ ...(await this.#watch.look()), fleet: fleet.json.fleet }), { cause });
    });
  }

  async #isWhole(): Promise<boolean> {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const sight = await this.#watch.look();
    if (sight === undefined) return false;
    expect(this.#watch.faults).toEqual([]);
    const { containers, held, ledger } = sight;
    if (containers !== WORKERS || held.length !== WORKERS) return false;
    if (held.toSorted().join() !== ledger?.toSorted().join()) return false;
    const { workers } = await this.#server.health(this.#endpoint);
    return workers.idle + workers.running === WORKERS;
  }

  async #patch(fields: Record<string, unknown>): Promise<void> {
    const { status } = await this.#server.call("PATCH", `/v1/endpoints/${this.#endpoint}`, fields);
    expect(status).toBe(200);
  }

  async #replaceOne(): Promise<void> {
    const worker = await this.#anyWorker();
    if (worker === undefined) return;
    const path = `/v1/endpoints/${this.#endpoint}/workers/${worker}/replace`;
    // It can have ended meanwhile, or be ending.
    expect([204, 404, 409]).toContain((await this.#server.post(path)).status);
  }

  async #killWorker(): Promise<void> {
    const worker = await this.#anyWorker();
    if (worker === undefined) return;
    // It can have ended meanwhile.
    await this.#host.ask("POST", `/containers/forebay-${worker}/kill?signal=KILL`);
    const isGone = async () => (await this.#watch.look())?.workers.includes(worker) === false;
    await until("it is gone", isGone, REST);
  }

  async #anyWorker(): Promise<string | undefined> {
    const workers = (await this.#watch.look())?.workers ?? [];
    return workers[this.#random.integer(0, workers.length - 1)];
  }
}
