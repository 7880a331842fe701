import { RAISED_LIMITS } from "./raised-limits.ts";
import type { TestClient } from "./test-client.ts";
import { until } from "./until.ts";

/** How long a background job may take to show, ms. The shortest TTL and a look at the servers take 10 s. */
const LIMIT = 30_000;

/** Where the signs of a background job are seen. */
export interface JobWitness {
  /** A server with short durations, and the command `hello`. */
  readonly client: TestClient;
  /** Runs a statement in the database of the servers. */
  readonly ask: (statement: string) => Promise<readonly unknown[]>;
}

/** For each background job of the leader, by its name: resolves when the job has shown that it runs. */
export const LEADER_JOB_SIGNS: Readonly<Record<string, (witness: JobWitness) => Promise<void>>> = {
  deadlines: deadlinePasses,
  "silent workers": silentWorkerIsLost,
  forget: endedJobIsForgotten,
  "forget webhooks": endedWebhookIsForgotten,
  "forget statistics": oldSlotIsForgotten,
  "forget history": oldRecordIsForgotten,
  "operations on jobs": jobOfAnOperationEnds,
  "gone servers": goneServerIsForgotten,
  "deleted endpoints": deletedEndpointGoes,
  scale: workerIsStarted,
};

/** Resolves when each of them was seen: how long that took, ms. */
export async function allLeaderJobsSeen(witness: JobWitness): Promise<Record<string, number>> {
  const startedAt = performance.now();
  const signs = Object.entries(LEADER_JOB_SIGNS).map(async ([job, sign]) => {
    await sign(witness);
    return [job, Math.round(performance.now() - startedAt)] as const;
  });
  return Object.fromEntries(await Promise.all(signs));
}

async function deadlinePasses({ client }: JobWitness): Promise<void> {
  const endpoint = await client.endpoint();
  const id = await client.run(endpoint, {}, { policy: { ttl: 10_000 } });
  await recordIs("TIMED_OUT", client, endpoint, id, ({ status }) => status === "TIMED_OUT");
}

async function silentWorkerIsLost({ client }: JobWitness): Promise<void> {
  const endpoint = await client.endpoint();
  const [silent, other] = await client.workers(endpoint, 2);
  const id = await client.run(endpoint);
  await until("a worker has the job", async () => (await silent?.take())?.json?.id === id, LIMIT);
  // It has shown that it got it, and says nothing any more.
  await silent?.ping([id]);
  await until("the other worker has the job", async () => (await other?.take())?.json?.id === id, LIMIT);
  await other?.done(id, { output: 1 });
}

async function deletedEndpointGoes({ client }: JobWitness): Promise<void> {
  const endpoint = await client.endpoint();
  const worker = await client.worker(endpoint);
  const id = await client.run(endpoint);
  await until("a worker has the job", async () => (await worker.take())?.json?.id === id, LIMIT);
  await client.call("DELETE", `/v1/endpoints/${endpoint}`);
  await worker.done(id, { output: 1 });
  await until("its token is refused", async () => (await worker.ping()).status === 401, LIMIT);
}

async function endedJobIsForgotten({ client }: JobWitness): Promise<void> {
  const endpoint = await client.endpoint({ runRetentionMs: 1_000 });
  const id = await client.run(endpoint);
  await client.post(`/v2/${endpoint}/cancel/${id}`);
  await until(
    "the record of a job is gone",
    async () => (await client.get(`/v2/${endpoint}/status/${id}`)).status === 404,
    LIMIT,
  );
}

/** One that was given up long ago. */
async function endedWebhookIsForgotten({ ask }: JobWitness): Promise<void> {
  const id = crypto.randomUUID();
  await ask(`
    INSERT INTO forebay.delivery
      (endpoint, id, receiver, webhook, state, due_at, job, job_state, queued_at, ended_at, losses, size)
    VALUES ('gone', '${id}', 'receiver.invalid:80', '', 'FAILED', 1, 'job', 'FAILED', 1, 1, 0, 0)`);
  await until(
    "a webhook that was given up long ago is forgotten",
    async () => (await ask(`SELECT FROM forebay.delivery WHERE id = '${id}'`)).length === 0,
    LIMIT,
  );
}

/** One that no period reaches any more. */
async function oldSlotIsForgotten({ client, ask }: JobWitness): Promise<void> {
  const endpoint = await client.endpoint();
  await ask(`
    INSERT INTO forebay.statistics (endpoint, width, at, server, figures)
    VALUES ('${endpoint}', 3600000, 0, 'gone', '[[],[],[],[]]')`);
  await until(
    "a slot of long ago is forgotten",
    async () => (await ask(`SELECT FROM forebay.statistics WHERE endpoint = '${endpoint}'`)).length === 0,
    LIMIT,
  );
}

/** One of an endpoint that is gone. */
async function oldRecordIsForgotten({ ask }: JobWitness): Promise<void> {
  const endpoint = `gone-${crypto.randomUUID()}`;
  await ask(`
    INSERT INTO forebay.history
      (endpoint, id, state, queued_at, ended_at, attempt, input_bytes, output_bytes, size)
    VALUES ('${endpoint}', 'gone', 'CANCELLED', 0, 0, 0, 0, 0, 0)`);
  await until(
    "the history of an endpoint that is gone is forgotten",
    async () => (await ask(`SELECT FROM forebay.history WHERE endpoint = '${endpoint}'`)).length === 0,
    LIMIT,
  );
}

async function jobOfAnOperationEnds({ client }: JobWitness): Promise<void> {
  const endpoint = await client.endpoint();
  const id = await client.run(endpoint);
  await client.post("/v1/jobs/cancel", { jobs: [{ endpoint, id }] });
  await recordIs("CANCELLED", client, endpoint, id, ({ status }) => status === "CANCELLED");
}

/** One that has said its last word long ago. */
async function goneServerIsForgotten({ ask }: JobWitness): Promise<void> {
  const server = `gone-${crypto.randomUUID()}`;
  const word = JSON.stringify({ isSharing: true, fleet: {} });
  await ask(`INSERT INTO forebay.server (server, word, until) VALUES ('${server}', '${word}', 0)`);
  await until(
    "a server that is gone for good is forgotten",
    async () => (await ask(`SELECT FROM forebay.server WHERE server = '${server}'`)).length === 0,
    LIMIT,
  );
}

async function workerIsStarted({ client }: JobWitness): Promise<void> {
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
