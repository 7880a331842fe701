import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_ACCOUNT } from "../../src/domain/account.ts";
import type { JobPolicy } from "../../src/domain/policy.ts";
import { TEMPLATE_DEFAULTS } from "../../src/domain/template.ts";
import { fleetWorkers } from "../../src/background/fleet-workers.ts";
import { runBackgroundJobs, type RunningJobs } from "../../src/background/run-background-jobs.ts";
import { scaleJob } from "../../src/background/scale.ts";
import { createEndpoint, type NewEndpoint } from "../../src/engine/records/endpoints.ts";
import { createTemplate } from "../../src/engine/records/templates.ts";
import { BARE_CALL, seen } from "../../src/engine/seen.ts";
import { stopEngine } from "../../src/engine/create-engine.ts";
import { submit } from "../../src/engine/submit.ts";
import { FLEET_KEY } from "../../src/engine/wait-keys.ts";
import { NO_GPUS } from "../../src/fleet/gpu/gpu-inventory.ts";
import { openProcessProvider } from "../../src/fleet/process/process-provider.ts";
import { fixedHosts, localHost } from "../../src/fleet/hosts.ts";
import type { Provider } from "../../src/fleet/provider.ts";
import { systemClock, thisMachine } from "../../src/host/system-clock.ts";
import { TestEngine } from "./test-engine.ts";
import { until } from "./until.ts";
import { MemoryOutput } from "./memory-output.ts";

/** The background job that scales, on a real engine and processes. The test moves the time. */
export class ScaledFleet {
  readonly on: TestEngine;
  readonly provider: Provider;
  readonly #jobs: RunningJobs;
  readonly #root: string;

  private constructor(on: TestEngine, provider: Provider, jobs: RunningJobs, root: string) {
    this.on = on;
    this.provider = provider;
    this.#jobs = jobs;
    this.#root = root;
  }

  static async start(gpus = NO_GPUS): Promise<ScaledFleet> {
    const root = mkdtempSync(join(tmpdir(), "forebay-scale-"));
    const on = await TestEngine.start();
    const provider = await openProcessProvider({
      output: new MemoryOutput(),
      directory: root,
      commands: new Map([
        ["wait", ["sleep", "1000"]],
        ["broken", ["sh", "-c", "echo no model; exit 7"]],
      ]),
      operatorEnvironment: process.env,
      boot: thisMachine.uptime()?.boot,
      clock: systemClock(),
      log: on.log,
    });
    const hosts = fixedHosts(localHost(provider, { gpus: () => gpus }));
    const workers = fleetWorkers(on.engine, hosts, () => "http://server");
    const jobs = runBackgroundJobs(on.engine, [scaleJob(on.engine, workers)]);
    // The first look finds nothing to do.
    await on.clock.advance(100);
    return new ScaledFleet(on, provider, jobs, root);
  }

  async stop(): Promise<void> {
    stopEngine(this.on.engine);
    await this.#jobs.stop();
    // A start that was under way when the background job stopped is listed once its process runs.
    await until("their directories are gone", async () => {
      for (const worker of await this.provider.list()) await this.provider.stop(worker, 0);
      return readdirSync(this.#root).length === 0;
    });
    await this.on.stop();
    rmSync(this.#root, { recursive: true });
  }

  async templateOf(imageName: string, isPublic = false): Promise<string> {
    const fields = { ...TEMPLATE_DEFAULTS, name: crypto.randomUUID(), imageName, isPublic };
    return (await createTemplate(this.on.engine, DEFAULT_ACCOUNT.id, fields)).id;
  }

  /** A new endpoint on a template of its own. */
  async endpointOn(imageName: string, fields: Partial<NewEndpoint> = {}): Promise<string> {
    return this.endpointOf(DEFAULT_ACCOUNT.id, await this.templateOf(imageName), fields);
  }

  async endpointOf(account: string, templateId: string, fields: Partial<NewEndpoint> = {}): Promise<string> {
    const all = { name: crypto.randomUUID(), templateId, idleTimeout: 5, ...fields };
    return (await createEndpoint(this.on.engine, account, all)).id;
  }

  async submitTo(endpoint: string, policy: Partial<JobPolicy> = {}): Promise<string> {
    const body = new TextEncoder().encode('{"input":{}}');
    const job = { endpoint, kind: "run", body, s3Config: undefined, webhook: undefined, policy } as const;
    const { id } = await submit(this.on.engine, { ...job, retention: 0, idempotency: undefined });
    return id;
  }

  /** A signal makes the job look, and then it waits for the next one or a whole second. */
  async look(): Promise<void> {
    this.on.engine.waits.notify(FLEET_KEY);
    await this.on.clock.advance(60);
  }

  /** The workers that run call, as if they were more than a `sleep`. */
  async call(): Promise<void> {
    const { engine } = this.on;
    for (const [id, { endpoint }] of engine.fleet.managed) {
      if (!engine.fleet.draining.has(id)) await seen(engine, { endpoint, id, sharesToken: false }, BARE_CALL);
    }
  }

  /** The start of a process takes its own time, in which the clock of the test stands still. */
  running(count = 1): Promise<true> {
    return until(`${count} processes run`, async () => (await this.provider.list()).length === count);
  }

  /** The endpoint of each worker that was started and has not ended. */
  started(): string[] {
    return [...this.on.engine.fleet.managed.values()].map(({ endpoint }) => endpoint);
  }
}
