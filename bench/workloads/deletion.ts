import { setTimeout as pause } from "node:timers/promises";
import { startLibraryWorker, startPublicWorkers } from "../contestants/forebay.ts";
import { startForebayUnderTest } from "../forebay-server.ts";
import { type LoadClient, startClient } from "../load-client.ts";
import type { MeasuredProcess } from "../measured-process.ts";
import { ratioGoal, type Row, type Scale, type Workload } from "../workload.ts";

const BEFORE = "before";
const DURING = "while old results are deleted";

/** What the deletion of many results at the same time costs the jobs beside it. */
export const DELETION: Workload = {
  id: "deletion",
  title: "Deletion of old results",
  about:
    "300,000 results are stored as fast as possible, with a retention of two minutes. Jobs of the public " +
    "protocol run before it ends, and again when it ends.",
  rounds: 2,
  minutes: 6,
  isExtra: true,
  columns: [
    { key: "rate", title: "jobs/s", digits: 0 },
    { key: "cpu", title: "CPU/job of the server, µs", digits: 0 },
    { key: "p50", title: "submit p50, ms", digits: 1 },
    { key: "p99", title: "p99, ms", digits: 1 },
  ],
  goals: [
    ratioGoal({
      what: "Deletion of 300,000 results: jobs/s, × those before",
      row: DURING,
      key: "rate",
      against: (row) => row === BEFORE,
    }),
  ],
  cases: async (scale) => [{ name: DURING, measure: () => measure(scale) }],
};

async function measure({ build, isQuick, warmUp, jobs }: Scale): Promise<Row[]> {
  const retention = isQuick ? 3_000 : 120_000;
  const forebay = await startForebayUnderTest(build, { "run-retention-ms": String(retention) });
  const { server, port, endpoint, key, clean } = forebay;
  const stored = isQuick ? 200 : 300_000;
  const filling = startLibraryWorker(forebay, { milestones: [stored] });
  const client = await startClient({ ports: [port], path: `/v2/${endpoint}/run`, key });
  try {
    const startedAt = performance.now();
    await Promise.all([client.submit(stored), filling.line(`ran ${stored}`)]);
    await filling.stop();
    const milestones = [warmUp, warmUp + jobs, warmUp + 2 * jobs];
    const workers = startPublicWorkers(forebay, milestones);
    const part = (name: string, count: number, total: number) =>
      partOf({ name, client, server, workers, count, total });
    await part("warm-up", warmUp, warmUp);
    const before = await part(BEFORE, jobs, warmUp + jobs);
    const early = startedAt + retention - performance.now();
    if (early < 0) throw new Error("the retention ended before the jobs: give fewer --jobs");
    await pause(early + (isQuick ? 0 : 2_000));
    const during = await part(DURING, jobs, warmUp + 2 * jobs);
    await workers.stop();
    return [before, during];
  } finally {
    await Promise.all([client.stop(), filling.stop(), server.stop()]);
    await clean();
  }
}

async function partOf(given: {
  readonly name: string;
  readonly client: LoadClient;
  readonly server: MeasuredProcess;
  readonly workers: MeasuredProcess;
  readonly count: number;
  readonly total: number;
}): Promise<Row> {
  const { name, client, server, workers, count, total } = given;
  const [startedAt, before] = [performance.now(), server.cpu()];
  const [{ p50, p99 }] = await Promise.all([client.submit(count), workers.line(`ran ${total}`)]);
  const rate = (count * 1_000) / (performance.now() - startedAt);
  return { name, figures: { rate, cpu: (server.cpu() - before) / count, p50, p99 } };
}
