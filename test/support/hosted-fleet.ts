import { type FleetWorkers, fleetWorkers } from "../../src/background/fleet-workers.ts";
import { recordedHosts } from "../../src/background/recorded-hosts.ts";
import { runBackgroundJobs, type RunningJobs } from "../../src/background/run-background-jobs.ts";
import { scaleJob } from "../../src/background/scale.ts";
import { DEFAULT_ACCOUNT } from "../../src/domain/account.ts";
import type { HostRecord } from "../../src/domain/host.ts";
import { TEMPLATE_DEFAULTS } from "../../src/domain/template.ts";
import { stopEngine } from "../../src/engine/create-engine.ts";
import { createEndpoint, type NewEndpoint } from "../../src/engine/records/endpoints.ts";
import { putRecord } from "../../src/engine/records/put-record.ts";
import { createTemplate } from "../../src/engine/records/templates.ts";
import { BARE_CALL, seen } from "../../src/engine/seen.ts";
import { submit } from "../../src/engine/submit.ts";
import { FLEET_KEY } from "../../src/engine/wait-keys.ts";
import type { Host, Hosts } from "../../src/fleet/hosts.ts";
import { FakeEngineHost } from "./fake-engine-host.ts";
import { TestEngine } from "./test-engine.ts";

/** Endpoints on several engines that have records, with all that looks after their workers. */
export class HostedFleet {
  readonly on: TestEngine;
  readonly hosts: Hosts;
  readonly workers: FleetWorkers;
  /** Each host that was opened, by name. */
  readonly engines: Map<string, FakeEngineHost>;
  readonly #jobs: RunningJobs;

  private constructor(on: TestEngine, engines: Map<string, FakeEngineHost>, hosts: Hosts) {
    const { engine } = on;
    this.on = on;
    this.engines = engines;
    this.hosts = hosts;
    this.workers = fleetWorkers(engine, hosts, () => "http://server");
    this.#jobs = runBackgroundJobs(engine, [
      scaleJob(engine, this.workers),
      { name: "tidy", every: 2_000, run: () => this.workers.tidy() },
      { name: "lost hosts", every: 1_000, run: () => this.workers.loseAway() },
    ]);
  }

  /** `cards` are those of each host. */
  static async start(names: readonly string[], cards = 4): Promise<HostedFleet> {
    const on = await TestEngine.start(undefined, "test", () => true);
    const engines = new Map<string, FakeEngineHost>();
    const open = ({ id }: HostRecord): Host => {
      const engine = new FakeEngineHost(id, cards);
      engines.set(id, engine);
      return engine.host;
    };
    const hosts = recordedHosts(on.engine, [], open);
    const fleet = new HostedFleet(on, engines, hosts);
    for (const name of names) await fleet.put(name);
    hosts.all();
    return fleet;
  }

  async stop(): Promise<void> {
    stopEngine(this.on.engine);
    for (const engine of this.engines.values()) engine.comeBack();
    await this.#jobs.stop();
    await this.on.stop();
  }

  /** Creates the record of a host, or changes it. */
  async put(name: string, fields: Partial<HostRecord> = {}): Promise<void> {
    const present = this.on.engine.configuration.get("host", name);
    const fresh = { id: name, address: `tcp://${name}:2376`, labels: [], isDraining: false };
    await putRecord(this.on.engine, "host", { ...fresh, ...present, ...fields });
  }

  engineOf(name: string): FakeEngineHost {
    const engine = this.engines.get(name);
    if (engine === undefined) throw new Error(`there is no host ${name}`);
    return engine;
  }

  /** Jobs are counted, so that there are as many workers as jobs. */
  async endpoint(fields: Partial<NewEndpoint> = {}): Promise<string> {
    const template = { ...TEMPLATE_DEFAULTS, name: crypto.randomUUID(), imageName: "team/image:1" };
    const { id } = await createTemplate(this.on.engine, DEFAULT_ACCOUNT.id, template);
    const scaler = { scalerType: "REQUEST_COUNT", scalerValue: 1, idleTimeout: 5 } as const;
    const all = { name: crypto.randomUUID(), templateId: id, ...scaler, ...fields };
    return (await createEndpoint(this.on.engine, DEFAULT_ACCOUNT.id, all)).id;
  }

  async submitTo(endpoint: string): Promise<string> {
    const body = new TextEncoder().encode('{"input":{}}');
    const job = { endpoint, kind: "run", body, s3Config: undefined, webhook: undefined, policy: {} } as const;
    const { id } = await submit(this.on.engine, { ...job, retention: 0, idempotency: undefined });
    return id;
  }

  /** The scaling job looks, and the workers that run call. */
  async look(): Promise<void> {
    const { engine, clock } = this.on;
    engine.waits.notify(FLEET_KEY);
    await clock.advance(60);
    for (const [id, { endpoint }] of engine.fleet.managed) {
      const isUp = [...this.engines.values()].some(({ running }) => running.has(id));
      if (isUp) await seen(engine, { endpoint, id, sharesToken: false }, BARE_CALL);
    }
    engine.waits.notify(FLEET_KEY);
    await clock.advance(60);
  }

  /** Which worker has which device. */
  async ledger(): Promise<ReadonlyMap<string, string>> {
    const rows = await this.on.engine.store.allocations();
    return new Map(rows.map(({ device, worker }) => [device, worker]));
  }
}
