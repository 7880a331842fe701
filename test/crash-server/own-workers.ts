import { join } from "node:path";
import type { SeededRandom } from "../crash/seeded-random.ts";
import { ChildWorker } from "../support/child-worker.ts";
import type { TestClient } from "../support/test-client.ts";
import { RECORDS_VARIABLE } from "./worker-record.ts";

export const WORKER_COMMAND = [process.execPath, join(import.meta.dir, "worker-program.ts")] as const;
const SILENT_COMMAND = [process.execPath, join(import.meta.dir, "silent-worker-program.ts")] as const;

const SILENT_WORKERS = 3;
/** The execution timeout of their endpoint ends the job of one that was killed, ms. */
export const SILENT_TIMEOUT = 5_001;

export interface OwnWorkersStart {
  readonly server: TestClient;
  /** Served by one worker of each protocol, with tokens of their own. */
  readonly endpoint: string;
  /** Served by workers that share a token and never ping. */
  readonly silent: string;
  /** Where they write what they do. */
  readonly records: string;
}

interface Program {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Workers that come by themselves, as processes that can be killed and started again. */
export class OwnWorkers {
  readonly #programs: readonly Program[];
  readonly #workers: ChildWorker[];

  private constructor(programs: readonly Program[]) {
    this.#programs = programs;
    this.#workers = programs.map(({ command, environment }) => new ChildWorker(command, environment));
  }

  static async start({ server, endpoint, silent, records }: OwnWorkersStart): Promise<OwnWorkers> {
    const written = { [RECORDS_VARIABLE]: records };
    const programs: Program[] = [];
    for (const protocol of ["public", "exchange"]) {
      const { env } = await server.worker(endpoint);
      const environment = { ...env, ...written, FOREBAY_PROTOCOL: protocol };
      programs.push({ command: WORKER_COMMAND, environment });
    }
    for (const { env } of await server.workers(silent, SILENT_WORKERS)) {
      programs.push({ command: SILENT_COMMAND, environment: { ...env, ...written } });
    }
    return new OwnWorkers(programs);
  }

  /** One with a token of its own comes back as the same worker, a silent one as another. */
  async killOne(random: SeededRandom): Promise<void> {
    const index = random.integer(0, this.#workers.length - 1);
    const program = this.#programs[index];
    if (program === undefined) return;
    await this.#workers[index]?.kill();
    this.#workers[index] = new ChildWorker(program.command, program.environment);
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
