import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { ChildWorker } from "../support/child-worker.ts";
import { DeadPoller } from "../support/dead-poller.ts";
import { PatientWorkers } from "../support/patient-workers.ts";
import { PROTOCOLS } from "../support/sdk-worker.ts";
import { ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";

// With the durations that a server has by itself, so the tests wait side by side. That lost jobs are found
// within 10 s is shown on a clock of its own in test/engine/leases.test.ts.
setDefaultTimeout(90_000);

/** Longer than every lease. */
const STANDS_STILL = 12_000;

/** A server of its own for a test. */
async function withServer(body: (server: ServerProcess) => Promise<void>): Promise<void> {
  const server = await ServerProcess.start();
  try {
    await body(server);
  } finally {
    await server.stop();
  }
}

/** A new worker, and the two jobs that it has; every other one is full when it starts. */
async function filled(
  server: ServerProcess,
  workers: PatientWorkers,
): Promise<[worker: ChildWorker, first: string, second: string]> {
  const worker = await workers.start();
  const jobs = [await server.run(workers.endpoint), await server.run(workers.endpoint)] as const;
  for (const job of jobs) await workers.proved(worker, job);
  return [worker, ...jobs];
}

describe.each(PROTOCOLS)("a server that was away, over the %s protocol", (protocol) => {
  test.concurrent(`R9: killed: running jobs go on, and jobs without a worker run again`, () =>
    withServer(async (server) => {
      await using workers = await PatientWorkers.on(server, protocol);
      const { endpoint } = workers;
      using poller = await DeadPoller.ask(await workers.admit(), protocol);
      const unread = await server.run(endpoint);
      await until(
        "it is handed out",
        async () => (await server.status(endpoint, unread)).status === "IN_PROGRESS",
      );
      const killed = await workers.start();
      const lost = await server.run(endpoint);
      await workers.proved(killed, lost);
      const other = await workers.start();
      const [kept, waiting] = [await server.run(endpoint), await server.run(endpoint)];
      for (const job of [kept, waiting]) await workers.begun(job);

      await server.kill();
      killed.signal("SIGKILL");
      poller.close();
      await server.startAgain();
      const third = await workers.start();
      const ran = [kept, waiting].filter((job) => other.lines.includes(`begun ${job}`));
      expect(ran.length).toBeGreaterThan(0);
      for (const job of ran) {
        const record = await workers.complete(job, other);
        expect(record).not.toHaveProperty("retries");
        expect(workers.timesBegun(job)).toBe(1);
      }
      for (const [job, losses] of [
        [unread, undefined],
        [lost, 1],
      ] as const) {
        const worker = await workers.begun(job, [killed]);
        expect([other, third]).toContain(worker);
        expect((await workers.complete(job, worker))["retries"]).toBe(losses);
      }
    }),
  );

  test.concurrent(`R21: paused for longer than every lease: live workers keep jobs, dead are found`, () =>
    withServer(async (server) => {
      await using workers = await PatientWorkers.on(server, protocol);
      const { endpoint } = workers;
      // Each has both its places taken before the next one starts, so that it is known who gets what.
      const [living, kept, filler] = await filled(server, workers);
      const [dying, lost, doomed] = await filled(server, workers);
      const heir = await workers.start();
      const runsync = server.post(`/v2/${endpoint}/runsync`, { input: {} });
      const begunLine = await heir.line("begun sync-");
      await workers.complete(filler, living);

      server.pause();
      const pausedAt = performance.now();
      dying.signal("SIGKILL");
      await until("all leases would be over", () => performance.now() - pausedAt > STANDS_STILL);
      server.resume();
      const worker = await workers.begun(lost, [dying]);
      expect(server.logged("the server stood still; leases hold until workers had time to call")).not.toEqual(
        [],
      );
      expect(await workers.complete(lost, worker)).toMatchObject({ retries: 1 });
      const other = await workers.begun(doomed, [dying]);
      expect(await workers.complete(doomed, other)).toMatchObject({ retries: 1 });
      expect(await workers.complete(kept, living)).not.toHaveProperty("retries");
      expect(workers.timesBegun(kept)).toBe(1);
      for (const one of [worker, other]) expect([living, heir]).toContain(one);
      await workers.complete(begunLine.slice("begun ".length), heir);
      expect((await runsync).json.status).toBe("COMPLETED");
    }),
  );
});
