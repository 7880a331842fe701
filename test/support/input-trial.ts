import { expect } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspectFiles } from "../crash/inspect-files.ts";
import { RAISED_LIMITS } from "./raised-limits.ts";
import { TestServer } from "./test-server.ts";
import type { TestWorker } from "./test-worker.ts";

/** The jobs of an endpoint as health counts them. */
export interface JobCounts {
  readonly completed: number;
  readonly failed: number;
  readonly inProgress: number;
  readonly inQueue: number;
  readonly retried: number;
}

export interface Trial {
  readonly server: TestServer;
  /** An endpoint of its own, and a worker of it. */
  readonly endpoint: string;
  readonly worker: TestWorker;
}

/**
 * A server that gets what nobody should send. After each trial the counts have changed by exactly what the
 * trial says, and a job runs through as one did before; at the end the log has no error, so nothing was
 * answered 500, and the data on the disk is whole.
 */
export class TriedServer {
  readonly server: TestServer;
  readonly #directory: string;

  private constructor(server: TestServer, directory: string) {
    this.server = server;
    this.#directory = directory;
  }

  static async start(flags: Record<string, string> = {}): Promise<TriedServer> {
    const directory = await mkdtemp(join(tmpdir(), "forebay-inputs-"));
    const server = await TestServer.start({ flags: { data: directory, "take-hold-ms": "300", ...flags } });
    return new TriedServer(server, directory);
  }

  /** `input` answers by how much the counts are to differ once it is done. */
  async trial(input: (trial: Trial) => Promise<Partial<JobCounts>>): Promise<void> {
    const { server } = this;
    const endpoint = await server.endpoint({ rateLimits: RAISED_LIMITS });
    const trial = { server, endpoint, worker: await server.worker(endpoint) };
    await canary(trial);
    const before = await countsOf(trial);
    const changes = await input(trial);
    const expected = Object.entries(before).map(([name, count]) => [
      name,
      count + (changes[name as keyof JobCounts] ?? 0),
    ]);
    expect(await countsOf(trial)).toEqual(Object.fromEntries(expected));
    await canary(trial);
    expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain("x");
  }

  async stop(): Promise<void> {
    try {
      await this.server.stop();
      expect(inspectFiles(this.#directory).faults).toEqual([]);
    } finally {
      await rm(this.#directory, { recursive: true });
    }
  }
}

async function countsOf({ server, endpoint }: Trial): Promise<JobCounts> {
  return (await server.get(`/v2/${endpoint}/health`)).json.jobs;
}

/** A job runs through; those that wait in front of it too. */
async function canary({ server, endpoint, worker }: Trial): Promise<void> {
  const id = await server.run(endpoint, { canary: true });
  for (let isDone = false; !isDone;) {
    const { status, json } = await worker.takeBatch(1_000);
    expect(status).toBe(200);
    for (const job of json) await worker.done(job.id, { output: job.input });
    isDone = json.some((job: { id: string }) => job.id === id);
  }
  expect(await server.status(endpoint, id)).toMatchObject({ status: "COMPLETED", output: { canary: true } });
}
