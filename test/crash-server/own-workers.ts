import { join } from "node:path";
import type { SeededRandom } from "../crash/seeded-random.ts";
import { ChildWorker } from "../support/child-worker.ts";
import type { TestClient } from "../support/test-client.ts";
import { RECORDS_VARIABLE } from "./worker-record.ts";

export const WORKER_COMMAND = [process.execPath, join(import.meta.dir, "worker-program.ts")] as const;

/** Workers that come by themselves, as processes that can be killed and come back as the same worker. */
export class OwnWorkers {
  readonly #environments: Readonly<Record<string, string>>[] = [];
  readonly #workers: ChildWorker[] = [];

  /** One worker of each protocol. */
  static async start(server: TestClient, endpoint: string, records: string): Promise<OwnWorkers> {
    const workers = new OwnWorkers();
    for (const protocol of ["public", "exchange"]) {
      const { env } = await server.worker(endpoint);
      const environment = { ...env, FOREBAY_PROTOCOL: protocol, [RECORDS_VARIABLE]: records };
      workers.#environments.push(environment);
      workers.#workers.push(new ChildWorker(WORKER_COMMAND, environment));
    }
    return workers;
  }

  async killOne(random: SeededRandom): Promise<void> {
    const index = random.integer(0, this.#workers.length - 1);
    await this.#workers[index]?.kill();
    this.#workers[index] = new ChildWorker(WORKER_COMMAND, this.#environments[index] ?? {});
  }

  /** Tells them to end; the answer is how they did. */
  async stop(): Promise<(number | string)[]> {
    for (const worker of this.#workers) worker.signal("SIGTERM");
    return Promise.all(this.#workers.map((worker) => worker.exit()));
  }

  async kill(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.kill()));
  }
}
