import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { withPython } from "../support/python-processes.ts";
import { type EndToEndServer, startEndToEnd } from "../support/end-to-end-server.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(90_000);

let server: EndToEndServer;
beforeAll(async () => {
  server = await startEndToEnd();
});
afterAll(() => server.stop());

test.concurrent("a worker with concurrency 4 runs four jobs at once", () =>
  withPython(async (python) => {
    const endpoint = await server.endpoint();
    const worker = await python.worker({ server, endpoint, script: "four_at_once.py" });
    // Each waits in its handler until all four are there.
    const ids = await submit(endpoint, 4);
    for (const id of ids) {
      const { status, output } = await server.ended(endpoint, id);
      expect(status).toBe("COMPLETED");
      expect(output.met.toSorted()).toEqual(ids.toSorted());
    }
    expect(worker.count(/job-take-batch\/.*&batch_size=4/)).toBeGreaterThan(0);
    python.expectNoComplaint();
  }),
);

test.concurrent("eight workers with one token run 40 jobs, each once", () =>
  withPython(async (python) => {
    const endpoint = await server.endpoint();
    const { env } = (await server.post(`/v1/endpoints/${endpoint}/workers`, { many: true })).json;
    expect(env).not.toHaveProperty("RUNPOD_POD_ID");
    const start = { server, endpoint, script: "answers.py", env };
    const workers = await Promise.all(Array.from({ length: 8 }, () => python.worker(start)));
    // They have said that they will call; seven could be through with all jobs before the last one does.
    await until("all wait for jobs", async () => {
      return (await server.get(`/v2/${endpoint}/health`)).json.workers.ready === 8;
    });

    const ids = await submit(endpoint, 40);
    const records = await Promise.all(ids.map((id) => server.ended(endpoint, id)));
    for (const record of records) {
      expect(record.status).toBe("COMPLETED");
      expect(record).not.toHaveProperty("retries");
    }
    const runs = workers.flatMap(({ lines }) =>
      lines.flatMap((line) => /"requestId": "([^"]+)", "message": "Started\."/.exec(line)?.[1] ?? []),
    );
    expect(runs.toSorted()).toEqual(ids.toSorted());
    expect(new Set(records.map(({ workerId }) => workerId)).size).toBe(8);
    const health = (await server.get(`/v2/${endpoint}/health`)).json;
    expect(health.jobs).toMatchObject({ completed: 40, failed: 0, retried: 0, inQueue: 0, inProgress: 0 });
    expect(health.workers).toMatchObject({ idle: 8, running: 0 });
    python.expectNoComplaint();
  }),
);

function submit(endpoint: string, count: number): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => server.run(endpoint, { return: index })));
}
