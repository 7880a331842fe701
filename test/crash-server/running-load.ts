import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom } from "../crash/seeded-random.ts";
import { RAISED_LIMITS } from "../support/raised-limits.ts";
import type { ServerProcess } from "../support/server-process.ts";
import type { TestWorker } from "../support/test-worker.ts";
import { until } from "../support/until.ts";
import { countersOfEnded, lookAtAll } from "./aftermath.ts";
import { answeredOf } from "./answered.ts";
import type { Counted } from "./counters.ts";
import { ExchangeWorker } from "./exchange-worker.ts";
import { type Load, loadClient } from "./load-client.ts";
import { OwnWorkers, SILENT_TIMEOUT } from "./own-workers.ts";
import type { Recorder } from "./recorder.ts";
import { addWorkerRecords, RECORDS_VARIABLE } from "./worker-record.ts";

export interface LoadOptions {
  readonly seed: string;
  readonly recorder: Recorder;
  /** Where the endpoints are created. It starts workers by its command `worker`. */
  readonly server: ServerProcess;
  /** The address that clients call. */
  readonly url: () => string;
  readonly clients: number;
  readonly exchangeWorkers: number;
  /** Members of all endpoints. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Whom jobs may call at their ends. */
  readonly webhook?: string;
}

/** If jobs stand still for longer, the test fails, ms. */
const STANDS_STILL = 60_000;

/**
 * Clients and workers that go on while servers are killed. There are three endpoints: workers of one are
 * started by the server, those of another come by themselves, and those of the last never ping.
 */
export class RunningLoad {
  readonly load: Load;
  /** Workers that come by themselves, as processes. */
  readonly own: OwnWorkers;
  readonly #options: LoadOptions;
  readonly #workers: readonly TestWorker[];
  /** What workers in other processes write. */
  readonly #records: string;
  readonly #endClients = new AbortController();
  readonly #endWorkers = new AbortController();
  #clients: Promise<void>[] = [];
  readonly #running: Promise<void>[] = [];

  private constructor(
    options: LoadOptions,
    load: Load,
    workers: readonly TestWorker[],
    own: OwnWorkers,
    records: string,
  ) {
    this.#options = options;
    this.load = load;
    this.#workers = workers;
    this.own = own;
    this.#records = records;
  }

  /** Creates the endpoints, and starts all workers but those in this process. */
  static async prepare(options: LoadOptions): Promise<RunningLoad> {
    const { server, recorder, url, fields, webhook } = options;
    const records = mkdtempSync(join(tmpdir(), "forebay-records-"));
    const all = { rateLimits: RAISED_LIMITS, ...fields };
    const limits = { workersMin: 1, workersMax: 2, ...all };
    const managed = await server.commandEndpoint("worker", limits, { [RECORDS_VARIABLE]: records });
    const visited = await server.endpoint(all);
    const silent = await server.endpoint({ ...all, executionTimeoutMs: SILENT_TIMEOUT });
    const workers = await server.workers(visited, options.exchangeWorkers);
    const own = await OwnWorkers.start({ server, endpoint: visited, silent, records });
    const load: Load = {
      recorder,
      url,
      endpoints: [managed, visited, silent],
      purged: visited,
      timesOut: silent,
      ...(webhook === undefined ? {} : { webhook }),
      jobs: [],
      failed: [],
    };
    return new RunningLoad(options, load, workers, own, records);
  }

  /** Starts the clients, and the workers in this process. */
  begin(): void {
    const { seed, recorder, clients } = this.#options;
    for (const [index, worker] of this.#workers.entries()) {
      const random = seededRandom(`${seed}/worker/${index}`);
      const exchange = new ExchangeWorker(worker, this.load.purged, recorder, random);
      this.#running.push(exchange.run(this.#endWorkers.signal));
    }
    this.#clients = Array.from({ length: clients }, (_, index) => {
      const random = seededRandom(`${seed}/client/${index}`);
      return loadClient(this.load, random, `client-${index}`, this.#endClients.signal);
    });
    this.#running.push(...this.#clients);
  }

  /** Resolves when so many more answers have come: of submissions, and to workers that reported results. */
  async moves(answers: number): Promise<void> {
    const { events } = this.#options.recorder;
    const enough = answeredOf(events) + answers;
    await until("jobs come in and end", () => answeredOf(events) >= enough, STANDS_STILL);
  }

  /** No client submits more. Resolves when all jobs have ended, with the counters of the endpoints. */
  async drain(): Promise<Counted[]> {
    this.#endClients.abort();
    await Promise.all(this.#clients);
    return countersOfEnded(this.load);
  }

  /** Records what other processes wrote, and looks at all jobs: how many are in each state. */
  async look(): Promise<Record<string, number>> {
    addWorkerRecords(this.#options.recorder, this.#records);
    return lookAtAll(this.load);
  }

  /** Ends the workers in order; the answer is how those in other processes ended. */
  async endWorkers(): Promise<(number | string)[]> {
    this.#endWorkers.abort();
    await Promise.all(this.#running);
    return this.own.stop();
  }

  /** Tells all to end, and kills the workers that are processes. */
  async kill(): Promise<void> {
    this.#endClients.abort();
    this.#endWorkers.abort();
    await this.own.kill();
  }

  /** Resolves when nothing of it is left. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
    rmSync(this.#records, { recursive: true });
  }
}
