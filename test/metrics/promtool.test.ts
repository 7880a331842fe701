import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";

const DEPLOY = join(import.meta.dir, "../../deploy/prometheus");

/** What promtool says of its input, and the status it ends with. */
function promtool(words: readonly string[], input = ""): { said: string; status: number | null } {
  const { stdout, stderr, status } = spawnSync("promtool", [...words], { input, encoding: "utf8" });
  return { said: `${stdout}${stderr}`.trim(), status };
}

describe("promtool", () => {
  let server: TestServer;
  let endpoints: readonly string[];
  beforeAll(async () => {
    server = await TestServer.start();
    endpoints = [await server.endpoint(), await server.endpoint(), await server.endpoint()];
  });
  afterAll(() => server.stop());

  test("finds no fault in scrapes under load", async () => {
    const over = new AbortController();
    const load = endpoints.map(async (endpoint) => {
      const worker = await server.worker(endpoint);
      while (!over.signal.aborted) await oneJob(endpoint, worker);
    });
    const texts: string[] = [];
    for (let n = 0; n < 10; n++) texts.push((await server.get("/metrics")).text);
    over.abort();
    await Promise.all(load);
    for (const text of texts) expect(promtool(["check", "metrics"], text)).toEqual({ said: "", status: 0 });
    const broken = (texts[0] ?? "").replace("# HELP forebay_queue_jobs", "# HELPS forebay_queue_jobs");
    expect(promtool(["check", "metrics"], broken).status).not.toBe(0);
  }, 30_000);

  async function oneJob(endpoint: string, worker: TestWorker): Promise<void> {
    const id = await server.run(endpoint);
    await worker.take();
    await worker.done(id, { output: 1 });
  }

  test("finds no fault in the alert rules, and each of them fires when it should and not else", () => {
    const checked = promtool(["check", "rules", join(DEPLOY, "alerts.yml")]);
    expect(checked.said).toContain("SUCCESS");
    expect(checked.status).toBe(0);
    const tested = promtool(["test", "rules", join(DEPLOY, "alerts-test.yml")]);
    expect(tested).toMatchObject({ said: expect.stringContaining("SUCCESS"), status: 0 });
  });
});
