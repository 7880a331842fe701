import type { JobState } from "../../../src/domain/transitions.ts";
import type { Answer } from "../../support/answer.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { TestServer } from "../../support/test-server.ts";
import type { TestWorker } from "../../support/test-worker.ts";
import { until } from "../../support/until.ts";

/** A server with one endpoint and one worker, used over HTTP; time passes only where the test says so. */
export class OneEndpoint {
  readonly clock: ManualClock;
  readonly server: TestServer;
  readonly id: string;
  readonly worker: TestWorker;

  private constructor(clock: ManualClock, server: TestServer, id: string, worker: TestWorker) {
    this.clock = clock;
    this.server = server;
    this.id = id;
    this.worker = worker;
  }

  static async start(flags: Record<string, string> = {}): Promise<OneEndpoint> {
    const clock = new ManualClock();
    const server = await TestServer.start({ clock, flags });
    const id = await server.endpoint();
    return new OneEndpoint(clock, server, id, await server.worker(id));
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  /** `operation` as it stands behind the endpoint in the path. */
  get(operation: string): Promise<Answer> {
    return this.server.get(`/v2/${this.id}/${operation}`);
  }

  post(operation: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.server.post(`/v2/${this.id}/${operation}`, body, headers);
  }

  /** Submits with run, and answers the id of the job. */
  submit(members: Record<string, unknown> = {}): Promise<string> {
    return this.server.run(this.id, {}, members);
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into records of any shape
  status(job: string): Promise<any> {
    return this.server.status(this.id, job);
  }

  /** A job that has just come into the state; its endpoint had no waiting one before. */
  async jobIn(state: JobState, members: Record<string, unknown> = {}): Promise<string> {
    const limits = state === "TIMED_OUT" ? { policy: { executionTimeout: 5_001 } } : {};
    const job = await this.submit({ ...limits, ...members });
    if (state === "IN_QUEUE") return job;
    if (state === "CANCELLED") await this.post(`cancel/${job}`);
    else await this.worker.take();
    if (state === "COMPLETED") await this.worker.done(job, { output: { n: 1 } });
    if (state === "FAILED") await this.worker.done(job, { error: "no" });
    if (state === "TIMED_OUT") await this.clock.advance(6_000);
    return job;
  }

  /** Resolves when so many jobs wait: a call that holds its answer has arrived then. */
  async untilQueued(count: number): Promise<void> {
    await until(`${count} jobs wait`, async () => (await this.get("health")).json.jobs.inQueue === count);
  }
}
