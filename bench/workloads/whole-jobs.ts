import { type Contestant, type Measured, stopRunning } from "../contestant.ts";
import { startClient } from "../load-client.ts";
import type { Case, Column, Figures, Scale } from "../workload.ts";

/** The columns of all workloads that run whole jobs. CPU is user and system time of all processes. */
export const WHOLE_JOBS: readonly Column[] = [
  { key: "rate", title: "jobs/s", digits: 0 },
  { key: "cpu", title: "CPU/job of all processes, µs", digits: 0 },
  { key: "serverCpu", title: "servers", digits: 0 },
  { key: "storeCpu", title: "stores", digits: 0 },
  { key: "workerCpu", title: "workers", digits: 0 },
  { key: "loadCpu", title: "clients", digits: 0 },
  { key: "p50", title: "submit p50, ms", digits: 1 },
  { key: "p99", title: "p99, ms", digits: 1 },
  { key: "memory", title: "memory, MB", digits: 0 },
  { key: "coldRate", title: "cold: jobs/s", digits: 0 },
  { key: "coldCpu", title: "cold: CPU/job, µs", digits: 0 },
];

/** One measurement of each contestant: `readsResults` also reads each result over HTTP. */
export function wholeJobs(contestant: Contestant, scale: Scale, readsResults: boolean): Case {
  const { share = 1, start: _, ...about } = contestant;
  const { name } = about;
  return {
    ...about,
    async measure() {
      const [warmUp, jobs] = [scale.warmUp, scale.jobs].map((count) => Math.ceil(count * share));
      const figures = await measureWholeJobs(contestant, warmUp ?? 0, jobs ?? 0, readsResults);
      return [{ name, figures }];
    },
  };
}

/** The first jobs of a new server are the cold figures; the next ones are the figures. */
async function measureWholeJobs(
  contestant: Contestant,
  warmUp: number,
  jobs: number,
  readsResults: boolean,
): Promise<Figures> {
  const running = await contestant.start(readsResults ? [] : [warmUp, warmUp + jobs]);
  const { servers, stores, workers } = running;
  const processes = [...servers, ...stores, ...workers];
  const client = await startClient(running.target, { readsResults }).catch(async (error: unknown) => {
    await stopRunning(running);
    throw error;
  });
  const groups: readonly (readonly Measured[])[] = [servers, stores, workers, [client.process]];
  const use = (): number[] => groups.map((group) => group.reduce((sum, one) => sum + one.cpu(), 0));
  const part = async (count: number, total: number) => {
    const [startedAt, before] = [performance.now(), use()];
    const waits = await client.submit(count);
    if (!readsResults) await running.ran(total);
    const seconds = (performance.now() - startedAt) / 1_000;
    const cpu = use().map((used, index) => (used - (before[index] ?? 0)) / count);
    return { ...waits, rate: count / seconds, cpu };
  };
  try {
    const cold = await part(warmUp, warmUp);
    const warm = await part(jobs, warmUp + jobs);
    const [serverCpu = 0, storeCpu = 0, workerCpu = 0, loadCpu = 0] = warm.cpu;
    return {
      rate: warm.rate,
      cpu: sum(warm.cpu),
      serverCpu,
      storeCpu,
      workerCpu,
      loadCpu,
      p50: warm.p50,
      p99: warm.p99,
      memory: sum(processes.map((one) => one.memory())),
      coldRate: cold.rate,
      coldCpu: sum(cold.cpu),
    };
  } finally {
    await client.stop();
    await stopRunning(running);
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
