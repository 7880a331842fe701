import { describe, expect, test } from "bun:test";
import { freshServer } from "../support/fresh-server.ts";
import { HeldRequests } from "../support/held-requests.ts";
import type { ManualClock } from "../support/manual-clock.ts";
import { refusalsOf } from "../support/refusals-of.ts";
import type { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

describe("rate limits that grow with the workers that run", () => {
  let clock: ManualClock;
  let server: TestServer;
  let endpoint: string;
  freshServer((fresh) => ({ clock, server, endpoint } = fresh), { isStill: true });

  test.each([
    ["8 dynamic 3: 20 workers: 2000", 20, 2_000],
    ["8 dynamic 3: 50 workers: 2500", 50, 2_500],
  ])("%s, of base 2000 and 50 for each running worker", async (_name, running, most) => {
    const [idle, ...workers] = await server.workers(endpoint, 1 + running);
    await idle?.ping();
    await startJobs(workers);
    const { json } = await server.get(`/v2/${endpoint}/health`);
    expect(json.workers).toMatchObject({ running, idle: 1 });

    const status = () => server.get(`/v2/${endpoint}/status/none`);
    expect(await refusalsOf(most + 1, status)).toBe(1);
    expect((await status()).headers.get("ratelimit-policy")).toBe(`"status";q=${most};w=10`);
  });

  test("8 dynamic 1: run has 25 for each worker, cancel none; at once no more than before", async () => {
    await startJobs(await server.workers(endpoint, 50));
    expect(await refusalsOf(1_201, () => server.post(`/v2/${endpoint}/run`, ""))).toBe(1);
    expect(await refusalsOf(101, () => server.post(`/v2/${endpoint}/cancel/none`))).toBe(1);
    const path = `/v2/${endpoint}/retry/none`;
    await using held = new HeldRequests(server.url, 200, "POST", path, true);
    await until("the refusal", async () => (await server.post(path)).json.code === "TOO_MANY_AT_ONCE");
    expect(held.answered).toBe(0);
  });

  test("a worker that ends its job counts no more; Retry-After is true then too", async () => {
    const workers = await server.workers(endpoint, 41);
    const status = () => server.get(`/v2/${endpoint}/status/none`);
    const jobs = await startJobs(workers);
    expect(await refusalsOf(1_000, status)).toBe(0);
    await clock.advance(3_000);
    expect(await refusalsOf(1_051, status)).toBe(1);
    await workers[0]?.done(jobs[0] ?? "", { output: 1 });
    await clock.advance(1_000);
    const refused = await status();
    expect(refused.headers.get("ratelimit")).toBe('"status";r=0;t=6');
    expect(refused.headers.get("retry-after")).toBe("6");
    await clock.advance(5_999);
    expect((await status()).status).toBe(429);
    await clock.advance(1);
    expect((await status()).status).toBe(404);
  });

  async function startJobs(workers: Awaited<ReturnType<TestServer["workers"]>>): Promise<string[]> {
    const jobs: string[] = [];
    for (const worker of workers) {
      jobs.push(await server.run(endpoint));
      expect((await worker.take()).status).toBe(200);
    }
    return jobs;
  }
});
