import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startWorkerProgram } from "../contestants/forebay.ts";
import { createBenchEndpoint, startForebayUnderTest } from "../forebay-server.ts";
import { startClient } from "../load-client.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { type Case, type Figures, ratioGoal, type Scale, type Workload } from "../workload.ts";

const ONE = "1 endpoint, 1,000 workers";
const MANY = "1,000 endpoints, 1 worker each";

/** W7: the same jobs and workers on one endpoint and on a thousand. */
export const ENDPOINTS: Workload = {
  id: "endpoints",
  title: "W7: 1,000 endpoints against one",
  about:
    "64 clients submit whole jobs to the endpoints in turn. In both cases 1,000 workers of the public " +
    "protocol wait for them.",
  rounds: 2,
  minutes: 2,
  columns: [
    { key: "rate", title: "jobs/s", digits: 0 },
    { key: "cpu", title: "CPU/job of the server, µs", digits: 0 },
    { key: "p50", title: "submit p50, ms", digits: 1 },
    { key: "p99", title: "p99, ms", digits: 1 },
    { key: "memory", title: "memory, MB", digits: 0 },
    { key: "coldRate", title: "cold: jobs/s", digits: 0 },
  ],
  goals: [
    ratioGoal({
      what: "W7 1,000 endpoints, × jobs/s of one",
      row: MANY,
      key: "rate",
      against: (row) => row === ONE,
      must: { least: 0.85 },
      aim: { least: 0.95 },
    }),
    ratioGoal({
      what: "W7 1,000 endpoints, × CPU/job of one",
      row: MANY,
      key: "cpu",
      against: (row) => row === ONE,
      must: { most: 1.15 },
      aim: { most: 1.05 },
    }),
  ],
  async cases(scale) {
    const many = scale.isQuick ? 10 : 1_000;
    return [
      [ONE, 1],
      [MANY, many],
    ].map(([name, count]): Case => ({
      name: String(name),
      measure: async () => [{ name: String(name), figures: await measure(Number(count), many, scale) }],
    }));
  },
};

async function measure(count: number, workers: number, { build, warmUp, jobs }: Scale): Promise<Figures> {
  const { server, port, key, clean } = await startForebayUnderTest(build);
  const stops: (() => Promise<void>)[] = [() => server.stop()];
  try {
    const endpoints: { endpoint: string; token: string }[] = [];
    while (endpoints.length < count) {
      const { endpoint, token } = await createBenchEndpoint(port);
      endpoints.push({ endpoint, token });
    }
    const file = join(temporaryDirectory("bench-endpoints-"), "endpoints.json");
    writeFileSync(file, JSON.stringify(endpoints));
    const milestones = [warmUp, warmUp + jobs];
    const program = startWorkerProgram({ port, workers, endpoints: file, milestones });
    stops.unshift(() => program.stop());
    await program.line("ready");
    const paths = endpoints.map(({ endpoint }) => `/v2/${endpoint}/run`);
    const client = await startClient({ ports: [port], path: "", key }, { paths });
    stops.unshift(() => client.stop());
    const part = async (more: number, total: number) => {
      const [startedAt, usedBefore] = [performance.now(), server.cpu()];
      const waits = await client.submit(more);
      await program.line(`ran ${total}`);
      const rate = (more * 1_000) / (performance.now() - startedAt);
      return { ...waits, rate, cpu: (server.cpu() - usedBefore) / more };
    };
    const cold = await part(warmUp, warmUp);
    const { rate, cpu, p50, p99 } = await part(jobs, warmUp + jobs);
    return { rate, cpu, p50, p99, memory: server.memory(), coldRate: cold.rate };
  } finally {
    for (const stop of stops) await stop();
    await clean();
  }
}
