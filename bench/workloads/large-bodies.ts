import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startEcho } from "../contestants/echo.ts";
import { createBenchEndpoint, type ForebayUnderTest, startForebayUnderTest } from "../forebay-server.ts";
import { startClient, type LoadClient } from "../load-client.ts";
import { MeasuredProcess } from "../measured-process.ts";
import { type Case, figureGoal, type Figures, ratioGoal, type Scale, type Workload } from "../workload.ts";

/** Small submissions a second. */
const RATE = 200;
const ECHO = "bare HTTP echo of 20 MB";
const ALONE = "small submissions alone";
const TEXT = "beside 20 MB in one string";
const ARRAYS = "beside 20 MB of empty arrays";
const WIDE = "400 runsync of 1 MB at a time";

/** W6: jobs of 20 MB, and what they do to small ones. */
export const LARGE_BODIES: Workload = {
  id: "large-bodies",
  title: "W6: 20 MB in and out, small requests beside them",
  about:
    "Jobs of 20 MB, one after the other, from a client to a worker and back: four transfers for each job. " +
    `Beside them ${RATE} small submissions a second. The echo is one request of 20 MB, answered with its ` +
    "body: two transfers. Loads run at normal priority, also under `chrt --rr 1`.",
  rounds: 2,
  minutes: 3,
  columns: [
    { key: "rate", title: "20 MB jobs/s", digits: 2 },
    { key: "p50", title: "small: p50, ms", digits: 2 },
    { key: "p99", title: "p99, ms", digits: 1 },
    { key: "max", title: "worst, ms", digits: 0 },
    { key: "memory", title: "most memory, MB", digits: 0 },
  ],
  goals: [
    ratioGoal({
      what: "W6 jobs/s of 20 MB, × the echo",
      row: TEXT,
      key: "rate",
      against: (row) => row === ECHO,
      must: { least: 0.2 },
    }),
    ...[TEXT, ARRAYS].map((row) =>
      figureGoal({
        what: `W6 small submissions ${row}: p99, ms`,
        row,
        key: "p99",
        must: { most: 30 },
        aim: { most: 15 },
        digits: 1,
      }),
    ),
  ],
  async cases(scale) {
    const one = (name: string, measure: (scale: Scale) => Promise<Figures>): Case => ({
      name,
      measure: async () => [{ name, figures: await measure(scale) }],
    });
    return [
      { ...one(ECHO, echoes), isPeer: true },
      one(ALONE, (given) => besideLarge(undefined, given)),
      one(TEXT, (given) => besideLarge("string", given)),
      one(ARRAYS, (given) => besideLarge("arrays", given)),
      one(WIDE, wide),
    ];
  },
};

const secondsOf = ({ isQuick }: Scale): number => (isQuick ? 1 : 15);
const bytesOf = ({ isQuick }: Scale): number => (isQuick ? 1 : 20) * 1_048_576;

async function echoes(scale: Scale): Promise<Figures> {
  const { server, port } = await startEcho();
  const load = startLoad("large-jobs.ts", {
    port,
    kind: "echo",
    seconds: secondsOf(scale),
    bytes: bytesOf(scale),
  });
  try {
    return { rate: await rateOf(load) };
  } finally {
    await Promise.all([load.stop(), server.stop()]);
  }
}

async function besideLarge(kind: string | undefined, scale: Scale): Promise<Figures> {
  const forebay = await startForebayUnderTest(scale.build);
  const { port, key, server, clean } = forebay;
  let load: MeasuredProcess | undefined;
  let client: LoadClient | undefined;
  try {
    // An endpoint of their own: no worker of the large jobs takes the small ones.
    const { endpoint } = await createBenchEndpoint(port);
    client = await startClient({ ports: [port], path: `/v2/${endpoint}/run`, key });
    await client.submit(scale.warmUp);
    const options = { seconds: secondsOf(scale), bytes: bytesOf(scale) };
    if (kind !== undefined) load = startLargeJobs(forebay, kind, options);
    await load?.line("ready");
    const waits = await client.submit(Math.ceil(RATE * secondsOf(scale)), RATE);
    const rate = load === undefined ? {} : { rate: await rateOf(load) };
    const { p50, p99, max } = waits;
    return { p50, p99, max, ...rate, memory: server.peakMemory() };
  } finally {
    await Promise.all([load?.stop(), client?.stop(), server.stop()]);
    await clean();
  }
}

async function wide(scale: Scale): Promise<Figures> {
  const { port, endpoint, key, token, server, clean } = await startForebayUnderTest(scale.build);
  const count = scale.isQuick ? 20 : 400;
  const load = startLoad("wide-jobs.ts", { port, endpoint, key, token, count });
  try {
    const completed = await load.line("completed");
    if (completed !== `completed ${count} of ${count}`) throw new Error(completed);
    if (!scale.isQuick) await pause(1_000);
    return { memory: server.peakMemory() };
  } finally {
    await Promise.all([load.stop(), server.stop()]);
    await clean();
  }
}

function startLargeJobs(forebay: ForebayUnderTest, kind: string, options: object): MeasuredProcess {
  const { port, endpoint, key, token } = forebay;
  return startLoad("large-jobs.ts", { port, endpoint, key, token, kind, ...options });
}

function startLoad(script: string, options: object): MeasuredProcess {
  const file = join(import.meta.dir, "../load", script);
  // Calls that wait must not keep out those of the workers.
  const env = { BUN_CONFIG_MAX_HTTP_REQUESTS: "2000" };
  const command = ["chrt", "--other", "0", process.execPath, file];
  return new MeasuredProcess([...command, JSON.stringify(options)], env);
}

async function rateOf(load: MeasuredProcess): Promise<number> {
  return Number((await load.line("jobs/s")).split(" ")[0]);
}
