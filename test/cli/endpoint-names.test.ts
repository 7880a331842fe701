import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ForebayCommand } from "../support/forebay-command.ts";
import { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";

const NAME = "two words/é";

describe("a command that takes an endpoint takes its name", () => {
  let server: TestServer;
  let id: string;
  let worker: TestWorker;
  beforeAll(async () => {
    server = await TestServer.start();
    id = await server.endpoint({ name: NAME });
    worker = await server.worker(id);
  });
  afterAll(() => server.stop());

  const start = (args: readonly string[]) => new ForebayCommand(args, { env: server.env });
  const forebay = (...args: string[]): Promise<string> => start(args).output();
  const json = async (...args: string[]) => JSON.parse(await forebay(...args, "--json"));

  test("those of the queue", async () => {
    const job = (await json("run", NAME, "n:=1")).id;
    await worker.take();
    await worker.done(job, { output: 2 });
    expect(await json("status", NAME, job)).toMatchObject({ id: job, status: "COMPLETED" });
    expect(await json("job", NAME, job)).toMatchObject({ id: job });
    expect(JSON.parse(await forebay("input", NAME, job))).toEqual({ n: 1 });
    expect((await json("requests", NAME)).requests.length).toBe(1);
    expect((await json("health", NAME)).jobs.completed).toBe(1);
    expect((await json("statistics", NAME)).endpointId).toBe(id);
    expect((await json("purge", NAME)).removed).toBe(0);
  });

  test("those that manage it", async () => {
    expect(await json("endpoints", "show", NAME)).toMatchObject({ id, name: NAME });
    expect(await json("endpoints", "update", NAME, "--workers-max", "9")).toMatchObject({
      id,
      workersMax: 9,
    });
    expect(await json("endpoints", "pause", NAME)).toMatchObject({ id, isPaused: true });
    expect((await json("workers", "list", NAME)).workers.length).toBe(1);
    expect((await json("releases", "list", NAME)).releases).toEqual([]);
    expect((await json("webhooks", "list", NAME)).webhooks).toEqual([]);
    expect((await json("webhooks", "secret", NAME)).secret).toStartWith("whsec_");
    expect(await forebay("worker", "env", "--endpoint", NAME)).toContain(`/v2/${id}/job-take/`);
    expect(await json("keys", "create", "bound", "--scope", "read", "--endpoint", NAME)).toMatchObject({
      endpoints: [id],
    });
  });

  test("and one that deletes deletes what had the name when it began", async () => {
    const other = await server.endpoint({ name: "short lived" });
    expect(await json("endpoints", "delete", "short lived", "--drain")).toEqual({ id: other, deleted: true });
    const { status, stderr } = await start(["health", "short lived"]).ended();
    expect([status, stderr]).toEqual([
      2,
      "forebay health: There is no endpoint short lived. forebay endpoints list shows all endpoints.\n",
    ]);
  });
});
