import { expect } from "bun:test";
import { seededRandom } from "../crash/seeded-random.ts";
import { webhooksDelivered } from "../crash-server/aftermath.ts";
import { type Recorder, recorder } from "../crash-server/recorder.ts";
import { webhookReceiver } from "../crash-server/webhook-receiver.ts";
import { addWorkerRecords } from "../crash-server/worker-record.ts";
import { checkHistory } from "../history/check-history.ts";
import { FAULTLESS } from "../history/faults.ts";
import { tableOf } from "../history/table.ts";
import type { ServerProcess } from "./server-process.ts";
import { until } from "./until.ts";

/** A fleet whose parts can be killed, and what runs of it. */
export interface KilledFleet {
  readonly name: string;
  readonly server: ServerProcess;
  /** It has the members of FLEET_FIELDS. */
  readonly endpoint: string;
  /** What a job is to do that takes so many ms. */
  inputOf(tag: string, ms: number): Record<string, unknown>;
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

/** Submits jobs of a fleet, and writes down what it learns of them. */
class FleetClient {
  readonly #fleet: KilledFleet;
  readonly #record: Recorder;
  readonly #webhook: string;
  readonly #jobs = new Set<string>();
  #open: string[] = [];
  #number = 0;

  constructor(fleet: KilledFleet, record: Recorder, webhook: string) {
    this.#fleet = fleet;
    this.#record = record;
    this.#webhook = webhook;
  }

  async submit(ms: number): Promise<void> {
    const { server, endpoint } = this.#fleet;
    const { events, faults, now, isUnknown } = this.#record;
    const tag = `fleet-${this.#number++}`;
    const from = now();
    const body = { input: this.#fleet.inputOf(tag, ms), webhook: this.#webhook };
    const answer = await server.post(`/v2/${endpoint}/run`, body).catch(() => undefined);
    const sent = { kind: "submission", endpoint, tag, hasWebhook: true, from, to: now() } as const;
    if (answer === undefined || isUnknown(answer.status, answer.json)) {
      events.push({ ...sent, outcome: "unknown" });
    } else if (answer.status === 200) {
      events.push({ ...sent, outcome: "acknowledged", id: answer.json.id });
      this.#jobs.add(answer.json.id);
      this.#open.push(answer.json.id);
    } else faults.push(`a submission was answered ${answer.status}`);
  }

  /** All jobs that it knows have ended. */
  async allEnded(): Promise<void> {
    const { server, endpoint } = this.#fleet;
    const records = await Promise.all(this.#open.splice(0).map((job) => server.ended(endpoint, job)));
    for (const { status, error } of records) {
      // Whoever loses its worker three times is over.
      if (status !== "COMPLETED") expect(error).toContain("the worker was lost 3 times");
    }
  }

  async lookAtAll(isFinal = false): Promise<void> {
    const { server, endpoint } = this.#fleet;
    const { events, saw, sawRecord, now } = this.#record;
    if (isFinal) for (const event of events) if (event.kind === "handOut") this.#jobs.add(event.id);
    for (const id of isFinal ? this.#jobs : this.#open) {
      const from = now();
      const { status, json } = await server.get(`/v2/${endpoint}/status/${id}`);
      const span = { from, to: now() };
      if (status === 404) saw(id, "gone", span, isFinal);
      else sawRecord(json, span, isFinal);
    }
  }
}
