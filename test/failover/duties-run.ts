import { RAISED_LIMITS } from "../support/raised-limits.ts";
import type { TestClient } from "../support/test-client.ts";
import { until } from "../support/until.ts";

/** How long a duty may take to show, ms; the shortest ttl takes 10 s of it. */
const LIMIT = 30_000;

/** Resolves when each duty that one server does for all was seen to run: how long that took, ms. */
export async function dutiesRun(client: TestClient): Promise<Record<string, number>> {
  const startedAt = performance.now();
  const took = async (shown: Promise<unknown>): Promise<number> => {
    await shown;
    return Math.round(performance.now() - startedAt);
  };
  const [deadlines, silentWorkers, forget, scale] = await Promise.all([
    took(deadlinePasses(client)),
    took(silentWorkerIsLost(client)),
    took(endedJobIsForgotten(client)),
    took(workerIsStarted(client)),
  ]);
  return { deadlines, silentWorkers, forget, scale };
}

async function deadlinePasses(client: TestClient): Promise<void> {
  const endpoint = await client.endpoint();
  const id = await client.run(endpoint, {}, { policy: { ttl: 10_000 } });
  await recordIs("TIMED_OUT", client, endpoint, id, ({ status }) => status === "TIMED_OUT");
}

async function silentWorkerIsLost(client: TestClient): Promise<void> {
  const endpoint = await client.endpoint();
  const [silent, other] = await client.workers(endpoint, 2);
  const id = await client.run(endpoint);
  await until("a worker has the job", async () => (await silent?.take())?.json?.id === id, LIMIT);
  // It has shown that it got it, and says nothing any more.
  await silent?.ping([id]);
  await until("the other worker has the job", async () => (await other?.take())?.json?.id === id, LIMIT);
  await other?.done(id, { output: 1 });
}

async function endedJobIsForgotten(client: TestClient): Promise<void> {
  const endpoint = await client.endpoint({ runRetentionMs: 1_000 });
  const id = await client.run(endpoint);
  await client.post(`/v2/${endpoint}/cancel/${id}`);
  await until(
    "the record of a job is gone",
    async () => (await client.get(`/v2/${endpoint}/status/${id}`)).status === 404,
    LIMIT,
  );
}

async function workerIsStarted(client: TestClient): Promise<void> {
  const { json } = await client.post("/v1/templates", {
    name: `template-${crypto.randomUUID()}`,
    imageName: "process/hello",
  });
  const endpoint = await client.endpoint({ templateId: json.id, workersMax: 1, rateLimits: RAISED_LIMITS });
  const id = await client.run(endpoint, { name: "you" });
  await recordIs("with a worker", client, endpoint, id, ({ workerId }) => workerId !== undefined);
}

/** As status answers it. */
interface JobRecord {
  readonly status: string;
  readonly workerId?: string;
}

async function recordIs(
  what: string,
  client: TestClient,
  endpoint: string,
  id: string,
  isIt: (record: JobRecord) => boolean,
): Promise<void> {
  let last: JobRecord | undefined;
  try {
    await until(
      `a job is ${what}`,
      async () => {
        last = await client.status(endpoint, id);
        return last !== undefined && isIt(last);
      },
      LIMIT,
    );
  } catch (cause) {
    const health = await client.get(`/v2/${endpoint}/health`);
    throw new Error(`a job is not ${what}: ${JSON.stringify([last, health.json])}`, { cause });
  }
}
