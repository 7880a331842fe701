import { join } from "node:path";
import { MANAGEMENT_RATE_LIMIT, RATE_LIMITS, RATE_WINDOW } from "../../src/domain/rate-limits.ts";
import { startLibraryWorker } from "../contestants/forebay.ts";
import { createBenchEndpoint, type ForebayUnderTest, startForebayUnderTest } from "../forebay-server.ts";
import { startClient } from "../load-client.ts";
import { MeasuredProcess } from "../measured-process.ts";
import { figureGoal, type Row, type Scale, type Workload } from "../workload.ts";

const ALL = "all operations together";
/** So much of each limit: calls that arrive a little early must not exceed it. */
const SHARE = 0.98;

interface Result {
  readonly name: string;
  readonly count: number;
  readonly errors: number;
  readonly firstError: string;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** W10: every operation as often as its rate limit allows. */
export const RATE_LIMITS_AT_FULL: Workload = {
  id: "rate-limits",
  title: "W10: all rate limits at full allowance",
  about:
    "One client calls each operation of an endpoint, and the management API, at 98 % of its rate limit, " +
    "all at the same time, for 30 s. One worker of our library answers at once.",
  rounds: 2,
  minutes: 2,
  columns: [
    { key: "rate", title: "calls/s", digits: 1 },
    { key: "errors", title: "errors", digits: 0 },
    { key: "p50", title: "p50, ms", digits: 1 },
    { key: "p99", title: "p99, ms", digits: 1 },
    { key: "max", title: "worst, ms", digits: 0 },
    { key: "cpu", title: "CPU of the server, % of a core", digits: 0 },
  ],
  goals: [
    figureGoal({
      what: "W10 all rate limits at full allowance: errors",
      row: ALL,
      key: "errors",
      must: { most: 0 },
      digits: 0,
    }),
    figureGoal({
      what: "W10 all rate limits at full allowance: p99 of the slowest operation, ms",
      row: ALL,
      key: "p99",
      must: { most: 100 },
      digits: 1,
    }),
  ],
  cases: async (scale) => [{ name: ALL, measure: () => measure(scale) }],
};

async function measure(scale: Scale): Promise<Row[]> {
  const forebay = await startForebayUnderTest(scale.build, { "run-retention-ms": "600000" });
  const { port, key, server, clean } = forebay;
  await warmUp(forebay, scale);
  const asByDefault = {};
  const [main, waiting, purged] = [
    await createBenchEndpoint(port, asByDefault),
    await createBenchEndpoint(port, asByDefault),
    await createBenchEndpoint(port, asByDefault),
  ];
  const script = join(import.meta.dir, "../load/allowance-worker.mjs");
  const env = { ...forebay.workerEnv, ...main.workerEnv, FOREBAY_PROTOCOL: "exchange" };
  const worker = new MeasuredProcess([process.execPath, script], env);
  await worker.line("ready");
  const seconds = scale.isQuick ? 1 : 30;
  const options = {
    base: `http://127.0.0.1:${port}`,
    key,
    main: main.endpoint,
    waiting: waiting.endpoint,
    purged: purged.endpoint,
    seconds,
    rates: rates(),
  };
  // More than the runtime allows by default at once.
  const room = { BUN_CONFIG_MAX_HTTP_REQUESTS: "2000" };
  const load = new MeasuredProcess(
    [process.execPath, join(import.meta.dir, "../load/allowance.ts"), JSON.stringify(options)],
    room,
  );
  try {
    const usedBefore = server.cpu();
    const startedAt = performance.now();
    const line = await load.line("results");
    const cpu = (server.cpu() - usedBefore) / (performance.now() - startedAt) / 10;
    return rowsOf(JSON.parse(line.slice("results ".length)) as Result[], seconds, cpu);
  } finally {
    await Promise.all([load.stop(), worker.stop(), server.stop()]);
    await clean();
  }
}

/** On an endpoint of its own, without limits. */
async function warmUp(forebay: ForebayUnderTest, { warmUp }: Scale): Promise<void> {
  const { port, endpoint, key } = forebay;
  const worker = startLibraryWorker(forebay, { milestones: [warmUp] });
  const client = await startClient({ ports: [port], path: `/v2/${endpoint}/run`, key });
  await client.submit(warmUp);
  await worker.line(`ran ${warmUp}`);
  await Promise.all([client.stop(), worker.stop()]);
}

function rates(): Record<string, number> {
  const limits = { ...RATE_LIMITS, management: MANAGEMENT_RATE_LIMIT };
  return Object.fromEntries(
    Object.entries(limits).map(([name, { requests }]) => [name, (requests * SHARE * 1_000) / RATE_WINDOW]),
  );
}

function rowsOf(results: readonly Result[], seconds: number, cpu: number): Row[] {
  for (const { name, firstError } of results) {
    if (firstError !== "") console.error(`rate-limits: ${name}: ${firstError}`);
  }
  const total = (key: "count" | "errors"): number => results.reduce((sum, one) => sum + one[key], 0);
  const most = (key: "p50" | "p99" | "max"): number => Math.max(...results.map((one) => one[key]));
  const all = {
    rate: total("count") / seconds,
    errors: total("errors"),
    p50: most("p50"),
    p99: most("p99"),
    max: most("max"),
    cpu,
  };
  const rows = results.map(({ name, count, errors, p50, p99, max }) => ({
    name,
    figures: { rate: count / seconds, errors, p50, p99, max },
  }));
  return [...rows, { name: ALL, figures: all }];
}
