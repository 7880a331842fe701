import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { anyPostgres } from "../support/given-postgres.ts";
import { HAPROXY, NGINX, startBalancer } from "../support/load-balancer.ts";
import { ServerProcess } from "../support/server-process.ts";
import { TestClient } from "../support/test-client.ts";
import { until } from "../support/until.ts";

/** Calls the servers through their load balancer. */
class BalancedClient extends TestClient {
  readonly url: string;

  constructor(url: string) {
    super();
    this.url = url;
  }
}

describe.each([
  ["nginx", NGINX],
  ["HAProxy", HAPROXY],
])("two servers behind %s as in deploy", (_, program) => {
  const end = new AsyncDisposableStack();
  const servers: ServerProcess[] = [];
  let client: BalancedClient;
  let endpoint: string;

  beforeAll(async () => {
    const { url } = await end.use(await anyPostgres()).lendDatabase();
    const flags = { "database-url": url, "secret-key": "the same on both" };
    for (let count = 0; count < 2; count++) {
      servers.push(end.adopt(await ServerProcess.start({ flags }), (server) => server.stop()));
    }
    const addresses = servers.map((server) => server.url);
    client = new BalancedClient(end.use(await startBalancer(program, addresses)).url);
  });
  afterAll(() => end.disposeAsync());
  beforeEach(async () => {
    await until("both are served", async () => (await client.get("/readyz")).status === 200);
    endpoint = await client.endpoint();
  });
  afterEach(() => client.post(`/v2/${endpoint}/purge-queue`));

  /** HAProxy ends a call without an answer when the server's open connection turns out to be dead. */
  function cutOff(error: unknown): undefined {
    if (!(error instanceof Error && "code" in error && error.code === "ECONNRESET")) throw error;
  }

  /** A worker whose calls go through the load balancer too. */
  async function balancedWorker() {
    const worker = await client.worker(endpoint);
    for (const [name, value] of Object.entries(worker.env)) {
      worker.env[name] = value.replace(/^http:\/\/[^/]+/, client.url);
    }
    return worker;
  }

  /** How many calls for jobs have ended, on all servers together. */
  async function endedTakes(): Promise<number> {
    const texts = await Promise.all(servers.map(async (server) => (await server.get("/metrics")).text));
    const line = /^forebay_http_requests_total\{route="[^"]*\/job-take\/[^"]*",.*\} (\d+)$/gm;
    const counts = [...texts.join("\n").matchAll(line)];
    return counts.reduce((sum, [, count]) => sum + Number(count), 0);
  }

  test("calls take turns, and what one makes the next one knows", async () => {
    const worker = await balancedWorker();
    for (let round = 0; round < 10; round++) {
      const id = await client.run(endpoint, { round });
      expect((await worker.take()).json).toMatchObject({ id, input: { round } });
      await worker.done(id, { output: round });
      expect(await client.status(endpoint, id)).toMatchObject({ status: "COMPLETED", output: round });
    }
  });

  test("calls that wait end when there is news on either server; large answers are whole", async () => {
    const worker = await balancedWorker();
    const taking = worker.take();
    const answer = client.post(`/v2/${endpoint}/runsync?wait=120000`, { input: {} });
    const { id } = (await taking).json;
    const read = client.get(`/v2/${endpoint}/stream/${id}?wait=60000`);
    await worker.stream(id, { output: "part" });
    expect((await read).json).toEqual([{ output: "part" }]);
    await worker.done(id, { output: "x".repeat(3_000_000) });
    expect((await answer).json).toMatchObject({ id, status: "COMPLETED" });
  });

  test("a body of 9 MB comes through", async () => {
    const worker = await balancedWorker();
    const text = "é".repeat(4_500_000);
    const id = await client.run(endpoint, { text });
    const { json } = await worker.take();
    expect(json.id).toBe(id);
    expect(json.input.text === text).toBe(true);
  });

  test("one server is killed: calls go to the other, and none is done twice", async () => {
    const [victim] = servers;
    await victim?.kill();
    const ids = new Set<string>();
    for (let inARow = 0; inARow < 40;) {
      const answer = await client.post(`/v2/${endpoint}/run`, { input: { n: ids.size } }).catch(cutOff);
      if (answer?.status === 200) ids.add(answer.json.id);
      inARow = answer?.status === 200 ? inARow + 1 : 0;
    }
    const { json } = await client.get(`/v2/${endpoint}/health`);
    expect(json.jobs.inQueue).toBe(ids.size);
    await victim?.startAgain();
    await until("it is served again", async () => {
      const { status } = await fetch(`${victim?.url}/readyz`);
      return status === 200;
    });
  });

  test("a worker that stops listening frees its call at the server", async () => {
    const worker = await balancedWorker();
    const over = new AbortController();
    const before = await endedTakes();
    const taking = worker.take(0, over.signal).catch(() => "cut");
    await until("a server holds the call", async () => {
      const { json } = await client.get(`/v2/${endpoint}/health`);
      return json.workers.idle === 1;
    });
    over.abort();
    expect(await taking).toBe("cut");
    await until("the call is over at the server", async () => (await endedTakes()) === before + 1);
    const next = await balancedWorker();
    const id = await client.run(endpoint);
    expect((await next.take()).json.id).toBe(id);
    // Sent to nobody first, it would have a second attempt.
    const { json } = await client.get(`/v1/endpoints/${endpoint}/jobs/${id}`);
    expect(json.attempts).toHaveLength(1);
  });
});
