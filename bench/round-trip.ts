import { join } from "node:path";
import type { Measured } from "./contestant.ts";
import { MeasuredProcess } from "./measured-process.ts";

/** A queue under test whose results are read back over HTTP, set up anew for each run. */
export interface RoundTrip {
  readonly name: string;
  start(): Promise<RunningRoundTrip>;
}

export interface RunningRoundTrip {
  /** Where jobs are posted, and where their status is found by id; every port is given as much. */
  readonly ports: readonly number[];
  readonly path: string;
  readonly statusPath: string;
  readonly key: string;
  readonly servers: readonly Measured[];
  readonly stores: readonly Measured[];
  readonly workers: readonly Measured[];
  /** Removes what it has written, when all of these are stopped. */
  clean(): Promise<void>;
}

/** CPU in microseconds a job, waits in ms. */
export interface RoundTripFigures {
  readonly jobsPerSecond: number;
  readonly serverCpu: number;
  readonly storeCpu: number;
  readonly workerCpu: number;
  readonly loadCpu: number;
  readonly memory: number;
  readonly p50: number;
  readonly p99: number;
}

/** Has `jobs` jobs submitted, run and read back. */
export async function measureRoundTrip(contestant: RoundTrip, jobs: number): Promise<RoundTripFigures> {
  const running = await contestant.start();
  const { ports, path, statusPath, key, servers, stores, workers } = running;
  const all = [...servers, ...stores, ...workers];
  const cpuOf = (of: readonly Measured[]): number => of.reduce((sum, one) => sum + one.cpu(), 0);
  const before = [servers, stores, workers].map(cpuOf);
  const script = join(import.meta.dir, "load/round-trips.ts");
  const startedAt = performance.now();
  const target = [ports.join(","), path, statusPath, key, String(jobs)];
  const load = new MeasuredProcess([process.execPath, script, ...target]);
  try {
    const waits = (await load.line("done", 300_000)).slice("done ".length);
    const seconds = (performance.now() - startedAt) / 1_000;
    const [serverCpu = 0, storeCpu = 0, workerCpu = 0] = [servers, stores, workers].map(
      (of, index) => (cpuOf(of) - (before[index] ?? 0)) / jobs,
    );
    return {
      jobsPerSecond: jobs / seconds,
      serverCpu,
      storeCpu,
      workerCpu,
      loadCpu: load.cpu() / jobs,
      memory: all.reduce((sum, one) => sum + one.memory(), 0),
      ...JSON.parse(waits),
    };
  } finally {
    await load.stop();
    // Stores last: what works on them would complain.
    for (const group of [workers, servers, stores]) await Promise.all(group.map((one) => one.stop()));
    await running.clean();
  }
}
