import type { Measured } from "./contestant.ts";
import { startWorkerProgram } from "./contestants/forebay.ts";
import {
  callForebay,
  createBenchEndpoint,
  type ForebayUnderTest,
  startForebayUnderTest,
} from "./forebay-server.ts";
import { type LoadClient, startClient } from "./load-client.ts";
import { startMeasuredPostgres } from "./measured-postgres.ts";

/** A server with finished jobs in its history, workers that wait for more, and a client that submits. */
export interface PastJobs {
  readonly forebay: ForebayUnderTest;
  readonly endpoints: readonly string[];
  /** The name of one of the workers. */
  readonly worker: string;
  /** The second in the middle of their ends, ms since 1970. */
  readonly from: number;
  readonly to: number;
  readonly servers: readonly Measured[];
  readonly client: LoadClient;
  stop(): Promise<void>;
}

const ENDPOINTS = 20;
const WORKERS = 100;

/** Of the jobs that fail, one in 33. */
export const ERROR = JSON.stringify({
  error_type: "<class 'torch.OutOfMemoryError'>",
  error_message: `CUDA out of memory. Tried to allocate 2 GiB. ${"GPU 0 has a total capacity. ".repeat(8)}`,
});

/** A tag of every second job, and one of each job in a thousand. */
export const TAGS = { common: "nightly", rare: "needle" } as const;

/** Runs `jobs` jobs over HTTP on 20 endpoints, and waits until the history has them. */
export async function pastJobs(
  build: string,
  store: "SQLite" | "PostgreSQL",
  jobs: number,
): Promise<PastJobs> {
  const database = store === "SQLite" ? undefined : await startMeasuredPostgres();
  const settings = database === undefined ? {} : { "database-url": database.url };
  const forebay = await startForebayUnderTest(build, settings);
  const { port, key, server } = forebay;
  const made: { endpoint: string; token: string }[] = [];
  while (made.length < ENDPOINTS) made.push(await createBenchEndpoint(port));
  const endpoints = made.map(({ endpoint }) => endpoint);
  const workers = startWorkerProgram({
    port,
    workers: WORKERS,
    endpoints: made.map(({ endpoint, token }) => ({ endpoint, token })),
    milestones: [jobs],
    failing: { each: 33, error: ERROR },
  });
  await workers.line("ready");
  const paths = endpoints.map((endpoint) => `/v2/${endpoint}/run`);
  const client = await startClient({ ports: [port], path: "", key }, { paths, tags: tagsInTurn() });
  const startedAt = Date.now();
  await Promise.all([client.submit(jobs), workers.line(`ran ${jobs}`, 3_600_000)]);
  const middle = Math.round((startedAt + Date.now()) / 2);
  await recorded(port, jobs);
  return {
    forebay,
    endpoints,
    worker: await workerOf(port),
    from: middle - 500,
    to: middle + 500,
    servers: database === undefined ? [server] : [server, database],
    client,
    async stop() {
      await Promise.all([client.stop(), workers.stop()]);
      await server.stop();
      await forebay.clean();
      await database?.stop();
    },
  };
}

/** So many different sets of tags, so that a rare one is rare. */
const TAG_SETS = 500;

function tagsInTurn(): string[][] {
  return Array.from({ length: TAG_SETS }, (_, index) => [
    `batch-${index % 10}`,
    ...(index % 2 === 0 ? [TAGS.common] : []),
    ...(index === 0 ? [TAGS.rare] : []),
  ]);
}

/** The worker of the newest job that has ended. */
async function workerOf(port: number): Promise<string> {
  const { jobs } = await callForebay(port, "/v1/jobs?state=COMPLETED&limit=1");
  const [first] = jobs as { workerId?: string }[];
  return first?.workerId ?? "";
}

/** Waits until the history has as many jobs. */
async function recorded(port: number, jobs: number): Promise<void> {
  const until = performance.now() + 300_000;
  while ((await countPast(port)) < jobs) {
    if (performance.now() > until) throw new Error(`waited 300 s for the records of ${jobs} jobs`);
    await Bun.sleep(1_000);
  }
}

async function countPast(port: number): Promise<number> {
  let count = 0;
  let query = "limit=1000";
  for (;;) {
    const { jobs, nextCursor } = await callForebay(port, `/v1/jobs?${query}`);
    if (!Array.isArray(jobs)) throw new Error("the answer has no jobs");
    count += jobs.length;
    if (typeof nextCursor !== "string") return count;
    query = `limit=1000&cursor=${nextCursor}`;
  }
}
