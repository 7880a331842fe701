import { expect } from "bun:test";
import { seededRandom } from "../crash/seeded-random.ts";
import { webhooksDelivered } from "../crash-server/aftermath.ts";
import { recorder } from "../crash-server/recorder.ts";
import { webhookReceiver } from "../crash-server/webhook-receiver.ts";
import { addWorkerRecords } from "../crash-server/worker-record.ts";
import { checkHistory } from "../history/check-history.ts";
import { FAULTLESS } from "../history/faults.ts";
import { tableOf } from "../history/table.ts";
import { FleetClient, type ClientFleet } from "./fleet-client.ts";
import { until } from "./until.ts";

/** A fleet whose parts can be killed, and what runs of it. */
export interface KilledFleet extends ClientFleet {
  readonly name: string;
  /** The directory with what workers do. */
  readonly records: string;
  /** The workers of the endpoint that run. */
  workers(): Promise<readonly string[]>;
  /** How many workers anything is left of, whether they run or not. */
  left(): Promise<number>;
  killWorker(worker: string): Promise<void>;
  /** Kills what runs the workers and starts it again; left out where nothing does. */
  restartEngine?(): Promise<void>;
}

/** Members of the endpoint. Webhooks are retried often, so that none is given up. */
export const FLEET_FIELDS = {
  workersMax: 3,
  idleTimeout: 1,
  scalerType: "REQUEST_COUNT",
  scalerValue: 1,
  webhookRetries: 30,
};

/** Flags of its server: receivers are here, and are called again soon. */
export const RECEIVER_FLAGS = {
  "webhook-allow": "127.0.0.0/8",
  "webhook-pause-ms": "200",
  "webhook-interval-ms": "50",
};

/** Kills between two times at which everything comes to rest. */
const ROUND = 5;

/** How long it may take until no worker runs, ms. */
const REST = 60_000;

/**
 * Kills workers, the server and what runs the workers at any moment; now and then lets the fleet come to rest
 * and start again. Never are there two fleets, every job ends, nothing is left running, and what clients,
 * workers and receivers saw can be explained.
 */
export async function killFleet(fleet: KilledFleet, kills: number, seed: string): Promise<void> {
  const { server, endpoint, name, records } = fleet;
  const random = seededRandom(seed);
  const record = recorder();
  await using receiver = await webhookReceiver(record, random.next());
  const client = new FleetClient(fleet, record, receiver.url());

  async function expectNoDouble(): Promise<void> {
    expect((await fleet.workers()).length).toBeLessThanOrEqual(FLEET_FIELDS.workersMax);
  }

  async function killOne(): Promise<void> {
    const workers = await fleet.workers();
    const worker = workers[random.integer(0, workers.length - 1)];
    if (worker !== undefined && random.chance(0.5)) return fleet.killWorker(worker);
    if (fleet.restartEngine !== undefined && random.chance(0.5)) return fleet.restartEngine();
    // It dies with a call under way: nobody knows whether it did anything.
    await Promise.all([client.submit(random.integer(0, 400)), server.kill()]);
    await expectNoDouble();
    await server.startAgain();
  }

  async function restAndBack(): Promise<void> {
    await client.allEnded();
    await until("no job is left of submissions without a response", async () => {
      const { jobs } = await server.health(endpoint);
      return jobs.inQueue + jobs.inProgress === 0;
    });
    await until("nothing is left of any worker", async () => (await fleet.left()) === 0, REST);
    await until("none is known of", async () => {
      const { workers } = await server.health(endpoint);
      return workers.initializing + workers.idle + workers.running === 0;
    });
    await client.submit(0);
    await client.allEnded();
    // It may have been idle for long enough to be stopped since.
    expect((await fleet.workers()).length).toBeLessThanOrEqual(1);
  }

  for (let kill = 1; kill <= kills; kill++) {
    for (let count = random.integer(0, 3); count >= 0; count--) await client.submit(random.integer(0, 400));
    // Anywhere: before the workers run, while they start, while they have jobs, when they are told to end.
    await new Promise((resolve) => setTimeout(resolve, random.integer(0, 1_000)));
    await expectNoDouble();
    await client.lookAtAll();
    await killOne();
    await expectNoDouble();
    if (kill % ROUND === 0 || kill === kills) await restAndBack();
  }
  addWorkerRecords(record, records);
  await client.lookAtAll(true);
  await webhooksDelivered(server, [endpoint]);
  const verdict = checkHistory(record.events);
  process.stderr.write(tableOf(`${name}: SEED=${seed}, ${kills} kills`, verdict));
  expect({ ...verdict.faults, answers: record.faults }).toEqual({ ...FAULTLESS, answers: [] });
}
