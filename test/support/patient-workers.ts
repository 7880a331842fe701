import { expect } from "bun:test";
import { join } from "node:path";
import { ChildWorker } from "./child-worker.ts";
import type { TestClient } from "./test-client.ts";
import { until } from "./until.ts";

const PROGRAM = join(import.meta.dir, "../sdk/workers/patient-worker.ts");

/** Leases of 10 s end first, on a machine that does much else. ms */
const BEGUN_LIMIT = 60_000;

/** What admits a worker: its variables, as the server answers them. */
export type Admission = Readonly<Record<string, string>>;

/**
 * Processes with the worker library for TypeScript on one endpoint, over one protocol, two jobs at a time. A
 * job runs until it may end; who has begun it is known. They end with the block that holds them.
 */
export class PatientWorkers implements AsyncDisposable {
  readonly endpoint: string;
  readonly #server: TestClient;
  readonly #protocol: string;
  readonly #started: ChildWorker[] = [];

  private constructor(server: TestClient, endpoint: string, protocol: string) {
    this.#server = server;
    this.endpoint = endpoint;
    this.#protocol = protocol;
  }

  /** None yet, on an endpoint of their own. */
  static async on(server: TestClient, protocol: string): Promise<PatientWorkers> {
    return new PatientWorkers(server, await server.endpoint(), protocol);
  }

  async admit(many = false): Promise<Admission> {
    const { json } = await this.#server.post(`/v1/endpoints/${this.endpoint}/workers`, { many });
    return json.env;
  }

  /** One more that takes jobs; without an admission it gets a token of its own. */
  async start(admission?: Admission): Promise<ChildWorker> {
    const env = { ...(admission ?? (await this.admit())), FOREBAY_PROTOCOL: this.#protocol };
    const worker = new ChildWorker([process.execPath, PROGRAM], env);
    this.#started.push(worker);
    await worker.line("takes jobs");
    return worker;
  }

  /** A worker has begun the job, and the server knows that it has. */
  async proved(worker: ChildWorker, job: string): Promise<void> {
    await worker.line(`begun ${job}`);
    await until("its progress is stored", async () => {
      const { json } = await this.#server.get(`/sdk/v2/${this.endpoint}/status/${job}`);
      return json.output === `with ${worker.pid}`;
    });
  }

  /** A worker that has begun the job and is none of these; waits for it. */
  begun(job: string, except: Iterable<ChildWorker> = []): Promise<ChildWorker> {
    const others = new Set(except);
    const look = () => this.#whoBegan(job).find((worker) => !others.has(worker));
    return until(`job ${job} is begun`, look, BEGUN_LIMIT);
  }

  /** How often the job was begun so far. */
  timesBegun(job: string): number {
    return this.#whoBegan(job).length;
  }

  /** Lets the job end at this worker, which has it: its record then, with the result of that worker. */
  async complete(job: string, worker: ChildWorker): Promise<Record<string, unknown>> {
    worker.tell(job);
    const record = await this.#server.ended(this.endpoint, job);
    expect(record).toMatchObject({ status: "COMPLETED", output: `done by ${worker.pid}` });
    return record;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#started.map((worker) => worker.kill()));
  }

  #whoBegan(job: string): ChildWorker[] {
    return this.#started.flatMap((worker) =>
      worker.lines.filter((line) => line === `begun ${job}`).map(() => worker),
    );
  }
}
