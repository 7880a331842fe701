import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { emptyHistogram, observe } from "../../src/domain/histogram.ts";
import { exposition } from "../../src/http/metrics/exposition.ts";
import { METRICS } from "../../src/http/metrics/metric-table.ts";
import { EventReader } from "../support/event-reader.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { scrape } from "../support/scrape.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";
import { LOOPBACK_ALLOWED, WebhookReceiver } from "../support/webhook-receiver.ts";

describe("/metrics", () => {
  let clock: ManualClock;
  let server: TestServer;
  let endpoint: string;
  beforeEach(async () => {
    clock = new ManualClock();
    server = await TestServer.start({ clock, flags: LOOPBACK_ALLOWED });
    endpoint = await server.endpoint({ maxQueuedJobs: 3 });
  });
  afterEach(() => server.stop());

  const of = (name: string, more = ""): string => `${name}{endpoint="${endpoint}"${more}}`;

  test("counts what happened to jobs, and describes the queue", async () => {
    const worker = await server.worker(endpoint);
    const done = await server.run(endpoint);
    const failed = await server.run(endpoint);
    await clock.advance(30);
    await worker.take();
    await worker.takeBatch(1, 1);
    await clock.advance(2_000);
    await worker.done(done, { output: 1 });
    await worker.done(done, { output: 1 });
    await worker.done(failed, { error: "broken" });
    await server.run(endpoint);
    await clock.advance(400);

    const samples = await scrape(server);
    expect(samples.get(of("forebay_queue_jobs"))).toBe(1);
    expect(samples.get(of("forebay_queue_oldest_seconds"))).toBe(0.4);
    expect(samples.get(of("forebay_jobs_in_progress"))).toBe(0);
    expect(samples.get(of("forebay_workers", ',state="idle"'))).toBe(1);
    expect(samples.get(of("forebay_jobs_submitted_total"))).toBe(3);
    expect(samples.get(of("forebay_jobs_taken_total"))).toBe(2);
    expect(samples.get(of("forebay_jobs_ended_total", ',state="completed"'))).toBe(1);
    expect(samples.get(of("forebay_jobs_ended_total", ',state="failed"'))).toBe(1);
    expect(samples.get(of("forebay_jobs_ended_total", ',state="timed_out"'))).toBe(0);
    expect(samples.get(of("forebay_reports_ignored_total"))).toBe(1);
    expect(samples.get(of("forebay_job_delay_seconds_bucket", ',le="0.025"'))).toBe(0);
    expect(samples.get(of("forebay_job_delay_seconds_bucket", ',le="0.04"'))).toBe(2);
    expect(samples.get(of("forebay_job_delay_seconds_bucket", ',le="+Inf"'))).toBe(2);
    expect(samples.get(of("forebay_job_delay_seconds_sum"))).toBe(0.06);
    expect(samples.get(of("forebay_job_execution_seconds_count"))).toBe(2);
    expect(samples.get(of("forebay_job_execution_seconds_sum"))).toBe(4);
  });

  test("reads the workers of all endpoints at once, and each endpoint has its own", async () => {
    const [other, none] = [await server.endpoint(), await server.endpoint()];
    await (await server.worker(endpoint)).ping();
    for (const worker of await server.workers(other, 2)) await worker.ping();
    const { store } = server.forebay.engine;
    using each = spyOn(store, "workers");
    using all = spyOn(store, "workersOf");

    const samples = await scrape(server);
    const idle = [endpoint, other, none].map((id) =>
      samples.get(`forebay_workers{endpoint="${id}",state="idle"}`),
    );
    expect(idle).toEqual([1, 2, 0]);
    expect(each).not.toHaveBeenCalled();
    expect(all).toHaveBeenCalledTimes(1);
  });

  test("counts requests by route, never by path, and refused ones by operation and limit", async () => {
    for (let n = 0; n < 4; n++) await server.run(endpoint);
    await server.get(`/v2/${endpoint}/status/absent`);
    await server.get("/somewhere/else");
    let refused = 0;
    while (refused < 2) if ((await server.post(`/v2/${endpoint}/purge-queue`)).status === 429) refused++;

    const samples = await scrape(server);
    const requests = (route: string, status: string) =>
      samples.get(`forebay_http_requests_total{route="${route}",status="${status}"}`);
    expect(requests("/v2/{endpoint}/run", "2xx")).toBe(3);
    expect(requests("/v2/{endpoint}/run", "4xx")).toBe(1);
    expect(requests("/v2/{endpoint}/status/{job}", "4xx")).toBe(1);
    expect(requests("none", "4xx")).toBe(1);
    expect(requests("/v2/{endpoint}/purge-queue", "4xx")).toBe(2);
    expect(samples.get('forebay_http_request_duration_seconds_count{route="/v2/{endpoint}/run"}')).toBe(4);
    const hit = (operation: string, limit: string) =>
      samples.get(`forebay_limits_hit_total{operation="${operation}",limit="${limit}"}`);
    expect(hit("submit", "queue")).toBe(1);
    expect(hit("purge-queue", "requests")).toBe(2);
    expect([...samples.keys()].filter((name) => name.includes("absent") || name.includes("else"))).toEqual(
      [],
    );
  });

  test("counts the calls of webhooks, the transactions of the store, and who reads live", async () => {
    await using receiver = await WebhookReceiver.start();
    const id = await server.run(endpoint, {}, { webhook: receiver.url() });
    await server.post(`/v2/${endpoint}/cancel/${id}`);
    await until("the webhook is delivered", async () => {
      await clock.advance(100);
      const samples = await scrape(server);
      return samples.get('forebay_webhook_attempts_total{outcome="delivered"}') === 1;
    });
    const reader = await EventReader.open(`${server.url}/v1/endpoints/${endpoint}/statistics`);
    await reader.next();
    const samples = await scrape(server);
    expect(samples.get("forebay_live_readers")).toBe(1);
    expect(samples.get("forebay_store_commit_seconds_count")).toBeGreaterThan(2);
    expect(samples.get("forebay_store_commit_steps_sum")).toBeGreaterThan(2);
    expect(samples.get("forebay_leader")).toBe(1);
    expect(samples.get("process_resident_memory_bytes")).toBeGreaterThan(1e7);
    expect(samples.get("process_cpu_seconds_total")).toBeGreaterThan(0);
    reader.leave();
    await until("it reads no more", async () => (await scrape(server)).get("forebay_live_readers") === 0);
  });

  test("each metric of the table is there, and no other", async () => {
    const worker = await server.worker(endpoint);
    const id = await server.run(endpoint);
    await worker.take();
    await worker.done(id, { output: 1 });
    for (let n = 0; n < 4; n++) await server.run(endpoint);
    const { text, headers } = await server.get("/metrics");
    expect(headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const named = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]);
    // The first scrape is not answered yet when it is made.
    const known = Object.entries(METRICS).map(([name, { type }]) => [name, type]);
    // Data in memory has no disk and no database (test/e2e/disk-space.test.ts), and the machine no GPUs.
    expect(named).toEqual(known.filter(([name]) => !/^forebay_(disk|database|gpu)_/.test(name ?? "")));
  });

  test("a key with the scope metrics opens nothing else; an admin makes it, bound to nothing", async () => {
    const key = await server.key("metrics");
    expect((await server.get("/metrics", key)).status).toBe(200);
    expect((await server.get("/v1/statistics", key)).json.code).toBe("KEY_NOT_ALLOWED");
    expect((await server.get(`/v2/${endpoint}/health`, key)).json.code).toBe("KEY_NOT_ALLOWED");
    for (const scope of ["read", "write", "manage"]) {
      expect((await server.get("/metrics", await server.key(scope))).json.code).toBe("KEY_NOT_ALLOWED");
    }
    expect((await server.get("/metrics", { authorization: "" })).json.code).toBe("KEY_MISSING");
    const wish = { name: "m", scopes: ["metrics"] };
    const refused = await server.post("/v1/keys", wish, await server.key("manage"));
    expect(refused.json.code).toBe("KEY_NOT_ALLOWED");
    const bound = await server.post("/v1/keys", { ...wish, endpoints: [endpoint] });
    expect(bound.json.code).toBe("INVALID_FIELD");
  });

  test("what would end a line or a label is escaped, and a histogram is cumulative", () => {
    const metric = { type: "gauge", of: "server", labels: ["a"], help: "back\\slash\nline" } as const;
    expect(exposition("m", metric, [{ labels: ['q"\\\n'], value: 1 }])).toBe(
      '# HELP m back\\\\slash\\nline\n# TYPE m gauge\nm{a="q\\"\\\\\\n"} 1\n',
    );
    const histogram = emptyHistogram();
    for (const ms of [1, 1, 3, 20_000_000]) observe(histogram, ms);
    const text = exposition("h", { ...metric, type: "histogram", labels: [] }, [
      { labels: [], value: { histogram, units: 1_000 } },
    ]);
    const counts = [...text.matchAll(/^h_bucket\{le="([^"]+)"\} (\d+)$/gm)].map(([, le, count]) => [
      le,
      count,
    ]);
    expect(counts.slice(0, 4)).toEqual([
      ["0.001", "2"],
      ["0.0016", "2"],
      ["0.0025", "2"],
      ["0.004", "3"],
    ]);
    expect(counts.slice(-2)).toEqual([
      ["10000", "3"],
      ["+Inf", "4"],
    ]);
    expect(text).toEndWith("h_sum 20000.005\nh_count 4\n");
  });
});
