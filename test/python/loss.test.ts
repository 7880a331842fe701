import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { PythonProcess } from "../support/python-process.ts";
import { withPython } from "../support/python-processes.ts";

import { type EndToEndServer, startEndToEnd, startKillable } from "../support/end-to-end-server.ts";

setDefaultTimeout(90_000);

let server: EndToEndServer;
beforeAll(async () => {
  server = await startEndToEnd();
});
afterAll(() => server.stop());

for (const script of ["patient.py", "blocking.py"]) {
  for (const many of [false, true]) {
    const whose = many ? "of a shared token" : "with a token of its own";
    test.concurrent(`${script}: the job of a killed worker ${whose} is with another one`, () =>
      withPython(async (python) => {
        const endpoint = await server.endpoint();
        const shared = (await server.post(`/v1/endpoints/${endpoint}/workers`, { many: true })).json.env;
        const start = { server, endpoint, script, ...(many ? { env: shared } : {}) };
        const killed = await python.worker(start);
        const id = await server.run(endpoint, { until: "first" });
        await killed.line(new RegExp(`began ${id}`));
        const other = await python.worker(start);
        // After a ping with the job the loss counts. A shared token has no pings: its open call breaks off.
        if (!many) await killed.line(/Heartbeat Sent .*job_id=/);
        await killed.kill();
        await other.line(new RegExp(`began ${id}`));
        other.touch("first");
        expect(await server.ended(endpoint, id)).toMatchObject({ status: "COMPLETED", retries: 1 });
        python.expectNoComplaint();
      }),
    );
  }
}

for (const many of [false, true]) {
  const whose = many ? "of a shared token" : "with a token of its own";
  test.concurrent(`a worker ${whose} whose handler blocks it for 13 s runs its job once`, () =>
    withPython(async (python) => {
      const endpoint = await server.endpoint();
      const { env } = (await server.post(`/v1/endpoints/${endpoint}/workers`, { many })).json;
      const worker = await python.worker({ server, endpoint, script: "slow.py", env });
      // Longer than the lease of a worker that makes no call; and its result goes out on a connection that
      // has rested for all this time, which the SDK takes to be open for 15 s.
      const id = await server.run(endpoint, { seconds: 13 });
      const record = await server.ended(endpoint, id);
      expect(record).toMatchObject({ status: "COMPLETED", output: { seconds: 13 } });
      expect(record).not.toHaveProperty("retries");
      expect(worker.count(/"message": "Started\."/)).toBe(1);
      python.expectNoComplaint();
    }),
  );
}

test.concurrent("pings outlive a worker whose main process is killed alone: another one gets its job", () =>
  withPython(async (python) => {
    const endpoint = await server.endpoint();
    const start = { server, endpoint, script: "patient.py" };
    const killed = await python.worker(start);
    const id = await server.run(endpoint, { until: "first" });
    await killed.line(new RegExp(`began ${id}`));
    const other = await python.worker(start);
    killed.killAlone();
    await killed.exited;
    await other.line(new RegExp(`began ${id}`));
    other.touch("first");
    expect(await server.ended(endpoint, id)).toMatchObject({ status: "COMPLETED", retries: 1 });
    python.expectNoComplaint();
  }),
);

/** What the SDK prints while its server is away or starts (503 STARTING); `Bad Gateway` is of a proxy. */
const SERVER_IS_AWAY =
  /Cannot connect to host|Server disconnected|Connection reset|Ping Request Error|Bad Gateway|Unavailable/;

/** A worker that runs a job while its server is killed with -9 and started again; then the job may end. */
async function restartDuringJob(
  script: string,
  then: (record: Record<string, unknown>, worker: PythonProcess) => void,
): Promise<void> {
  await withPython(async (python) => {
    const server = await startKillable();
    try {
      const endpoint = await server.endpoint();
      const worker = await python.worker({ server, endpoint, script });
      const id = await server.run(endpoint, { until: "first" });
      await worker.line(new RegExp(`began ${id}`));
      await server.kill();
      await server.startAgain();
      await worker.line(/Heartbeat Sent .*job_id=/, worker.count(/Heartbeat Sent .*job_id=/) + 1);
      worker.touch("first");
      then(await server.ended(endpoint, id), worker);
      python.expectNoComplaint(SERVER_IS_AWAY);
    } finally {
      await server.stop();
    }
  });
}

const RESULT = { status: "COMPLETED", output: { until: "first" } };

test.concurrent("a job survives kill -9 of the server: its worker goes on, and the result arrives once", () =>
  restartDuringJob("patient.py", (record, worker) => {
    expect(record).toMatchObject(RESULT);
    expect(record).not.toHaveProperty("retries");
    expect(worker.count(/began/)).toBe(1);
  }),
);

test.concurrent("a result that the SDK drops, because the server was killed meanwhile, is made good", () =>
  // While its handler blocks it, the SDK does not notice that its connections are dead. It sends the result
  // on one of them, once, and goes on to the next job: which is this one again.
  restartDuringJob("blocking.py", (record, worker) => {
    expect(record).toMatchObject(RESULT);
    expect(worker.count(/began/)).toBeWithin(1, 3);
  }),
);
