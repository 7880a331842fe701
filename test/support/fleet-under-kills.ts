import { expect } from "bun:test";
import { seededRandom } from "../crash/seeded-random.ts";
import type { ServerProcess } from "./server-process.ts";
import { until } from "./until.ts";

/** A fleet whose parts can be killed, and what runs of it. */
export interface KilledFleet {
  readonly server: ServerProcess;
  readonly endpoint: string;
  /** Never are there more workers at a time. */
  readonly workersMax: number;
  /** The workers of the endpoint that run. */
  workers(): Promise<readonly string[]>;
  /** How many workers anything is left of, whether they run or not. */
  left(): Promise<number>;
  killWorker(worker: string): Promise<void>;
  /** Kills what runs the workers and starts it again; left out where nothing does. */
  restartEngine?(): Promise<void>;
}

/** Kills between two times at which everything comes to rest. */
const ROUND = 5;

/** How long it may take until no worker runs, ms. */
const REST = 60_000;

/**
 * Kills workers, the server and what runs the workers at any moment; now and then lets the fleet come to rest
 * and start again. Never are there two fleets, every job ends, and nothing is left running.
 */
export async function killFleet(fleet: KilledFleet, kills: number, seed: string): Promise<void> {
  const { server, endpoint, workersMax } = fleet;
  const random = seededRandom(seed);
  const jobs: string[] = [];

  async function expectNoDouble(): Promise<void> {
    expect((await fleet.workers()).length).toBeLessThanOrEqual(workersMax);
  }

  async function killOne(): Promise<void> {
    const workers = await fleet.workers();
    const worker = workers[random.integer(0, workers.length - 1)];
    if (worker !== undefined && random.chance(0.5)) return fleet.killWorker(worker);
    if (fleet.restartEngine !== undefined && random.chance(0.5)) return fleet.restartEngine();
    await server.kill();
    await expectNoDouble();
    await server.startAgain();
  }

  async function restAndBack(): Promise<void> {
    const records = await Promise.all(jobs.splice(0).map((job) => server.ended(endpoint, job)));
    for (const { status, error } of records) {
      // Whoever loses its worker three times is over.
      if (status !== "COMPLETED") expect(error).toContain("the worker was lost 3 times");
    }
    await until("nothing is left of any worker", async () => (await fleet.left()) === 0, REST);
    await until("none is known of", async () => {
      const { workers } = await server.health(endpoint);
      return workers.initializing + workers.idle + workers.running === 0;
    });
    expect((await server.ended(endpoint, await server.run(endpoint))).status).toBe("COMPLETED");
    // It may have been idle for long enough to be stopped since.
    expect((await fleet.workers()).length).toBeLessThanOrEqual(1);
  }

  for (let kill = 1; kill <= kills; kill++) {
    for (let count = random.integer(0, 3); count >= 0; count--) {
      jobs.push(await server.run(endpoint, { sleep: random.integer(0, 400) }));
    }
    // Anywhere: before the workers run, while they start, while they have jobs, when they are told to end.
    await new Promise((resolve) => setTimeout(resolve, random.integer(0, 1_000)));
    await expectNoDouble();
    await killOne();
    await expectNoDouble();
    if (kill % ROUND === 0 || kill === kills) await restAndBack();
  }
}
