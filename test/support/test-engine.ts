import { expect } from "bun:test";
import { deadlineJobs } from "../../src/background/leader-jobs.ts";
import { runBackgroundJobs, type RunningJobs } from "../../src/background/run-background-jobs.ts";
import { callJobs } from "../../src/background/server-jobs.ts";
import { DEFAULT_ACCOUNT } from "../../src/domain/account.ts";
import type { TakenJob } from "../../src/domain/job.ts";
import { newMeters } from "../../src/domain/meters.ts";
import type { JobPolicy } from "../../src/domain/policy.ts";
import { commandNameOf } from "../../src/domain/template.ts";
import type { WorkerIdentity } from "../../src/domain/worker.ts";
import { createEngine } from "../../src/engine/create-engine.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { createEndpoint } from "../../src/engine/records/endpoints.ts";
import { report } from "../../src/engine/report.ts";
import { secretBox } from "../../src/engine/secret-box.ts";
import { BARE_CALL, type Sighting } from "../../src/engine/seen.ts";
import { status } from "../../src/engine/status.ts";
import { submit } from "../../src/engine/submit.ts";
import { take } from "../../src/engine/take.ts";
import { keptAmounts, loadConfig } from "../../src/config/config.ts";
import { newMemoryDatabase } from "../../src/store/memory/memory-database.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../src/store/store.ts";
import type { JobRecord } from "../../src/domain/job.ts";
import { ManualClock } from "./manual-clock.ts";
import { MemoryLog } from "./memory-log.ts";
import { NO_HOSTS } from "./no-hosts.ts";
import { NO_DISK, NO_VITALS } from "./no-vitals.ts";
import { NO_WORKER_LOGS } from "./memory-output.ts";

/** What the chunks of one job may have together, bytes. */
export const CHUNK_LIMIT = 1_000_000;

const isCommand = (imageName: string): boolean => commandNameOf(imageName) !== undefined;

/** The engine on a real store, with time in the hands of the test. No background job runs by itself. */
export class TestEngine {
  readonly clock = new ManualClock();
  readonly log = new MemoryLog();
  readonly engine: Engine;
  readonly endpoint: string;
  #background: RunningJobs | undefined;

  private constructor(engine: Engine, endpoint: string, clock: ManualClock, log: MemoryLog) {
    this.engine = engine;
    this.endpoint = endpoint;
    this.clock = clock;
    this.log = log;
  }

  /**
   * With a directory the store is one on file; opened again, it gets another endpoint with another name.
   * `runs` says of which images Forebay starts workers: commands, unless it says otherwise.
   */
  static async start(directory?: string, name = "test", runs = isCommand): Promise<TestEngine> {
    const clock = new ManualClock();
    const log = new MemoryLog();
    const store = await openTestStore(directory);
    const engine = await createEngine({
      server: "test-server",
      store,
      clock,
      log,
      meters: newMeters(NO_VITALS, NO_DISK),
      durations: loadConfig({}, {}),
      workerLogs: NO_WORKER_LOGS,
      ...keptAmounts(loadConfig({}, {})),
      chunkLimit: CHUNK_LIMIT,
      secrets: secretBox(["test"]),
      keepKeys: undefined,
      randomFill: (bytes) => crypto.getRandomValues(bytes),
      webhookRefusal: () => undefined,
      starts: { refusal: () => undefined, runs, ...NO_HOSTS },
    });
    const endpoint = await createEndpoint(engine, DEFAULT_ACCOUNT.id, {
      name,
      runRetentionMs: 60_000,
    });
    return new TestEngine(engine, endpoint.id, clock, log);
  }

  /** From now on background jobs find lost jobs. Resolves when leases no longer hold because of the start. */
  async findLostJobs(): Promise<void> {
    const jobs = [...deadlineJobs(this.engine), ...callJobs(this.engine)];
    this.#background = runBackgroundJobs(this.engine, jobs);
    await this.clock.advance(10_000);
  }

  async stop(): Promise<void> {
    await this.#background?.stop();
    await this.engine.store.close();
    expect(this.log.errors).toEqual([]);
  }

  worker(id: string, sharesToken = false): WorkerIdentity {
    return { endpoint: this.endpoint, id, sharesToken };
  }

  async submit(policy: Partial<JobPolicy> = {}, input = "{}"): Promise<string> {
    const { id } = await submit(this.engine, {
      endpoint: this.endpoint,
      kind: "run",
      body: new TextEncoder().encode(`{"input":${input}}`),
      s3Config: undefined,
      webhook: undefined,
      policy,
      retention: 0,
      idempotency: undefined,
    });
    return id;
  }

  /** One call for jobs; without a hold it answers at once. */
  take(worker: WorkerIdentity, call: Partial<TakeOptions> = {}): Promise<readonly TakenJob[]> {
    const { count = 1, hold = 0, sighting = BARE_CALL, signal = new AbortController().signal } = call;
    return take(this.engine, { worker, count, hold, sighting, signal });
  }

  /** Reports success, as the holder of the job or with the attempt given. */
  complete(worker: WorkerIdentity, job: string, output = "1", attempt?: number): Promise<boolean> {
    const bytes = new TextEncoder().encode(output);
    return report(this.engine, { worker, job, attempt, output: bytes, error: undefined });
  }

  status(job: string): Promise<JobRecord> {
    return status(this.engine, this.endpoint, job);
  }
}

interface TakeOptions {
  readonly count: number;
  readonly hold: number;
  readonly sighting: Sighting;
  readonly signal: AbortSignal;
}

/** What job-take says with job_in_progress=0, and with 1. */
export const SHOWS_NONE: Sighting = { shown: { kind: "none" }, crossing: 1, denials: 1, call: "other" };
export const SHOWS_ALL: Sighting = { shown: { kind: "all" }, crossing: 1, denials: 1, call: "other" };

/** What a ping says that lists these jobs. */
export function pingOf(...ids: string[]): Sighting {
  return { shown: { kind: "these", ids }, crossing: 2, denials: 2, call: "ping" };
}

/** In the directory, or in memory. */
async function openTestStore(directory: string | undefined): Promise<Store> {
  if (directory === undefined) return openMemoryStore({ database: newMemoryDatabase() });
  return openSqliteStore({
    directory,
    onFatal(error) {
      throw error;
    },
  });
}
