import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { PatientWorkers } from "../support/patient-workers.ts";
import { ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";

// The tests wait side by side; what they measure are the times that the server has stored.
setDefaultTimeout(90_000);

const HOUR = 3_600_000;
const EXECUTION_TIMEOUT = 6_000;
const TTL = 10_000;
const RETENTION = 12_000;

/**
 * A deadline that goes by the wrong clock is an hour off, ms. That none is more than a second late is shown
 * on a clock of its own in test/engine/deadlines.test.ts.
 */
const WRONG = HOUR / 2;

/** When in the life of the jobs something happens to the server, ms. */
const MIDDLE = 2_000;

type Disturbance = (server: ServerProcess, since: number) => Promise<void>;

/** Waits until `ms` have passed since then. */
async function passed(ms: number, since: number): Promise<void> {
  await until(`${ms} ms have passed`, () => performance.now() - since >= ms);
}

const set =
  (by: number): Disturbance =>
  async (server) =>
    server.setWallClock(by);

const restart =
  (by: number): Disturbance =>
  async (server) => {
    await server.kill();
    server.setWallClock(by);
    await server.startAgain();
  };

const pause: Disturbance = async (server, since) => {
  server.pause();
  // All that is asked for here is over by then, but for what ends last.
  await passed(TTL - 1_000, since);
  server.resume();
};

const DISTURBANCES: readonly (readonly [string, Disturbance])[] = [
  ["nothing happens", async () => undefined],
  ["the wall clock is set an hour forward", set(HOUR)],
  ["the wall clock is set an hour back", set(-HOUR)],
  ["the server is killed and started again", restart(0)],
  ["the same, with the wall clock set an hour forward in between", restart(HOUR)],
  ["the same, with the wall clock set an hour back in between", restart(-HOUR)],
  ["the server is stopped by SIGSTOP until the deadlines are over", pause],
];

describe("P13, P14, R21: deadlines are never early, and come by the right clock", () => {
  test.concurrent.each(DISTURBANCES)("%s", async (_name, disturb) => {
    const server = await ServerProcess.start({ hasOwnWallClock: true });
    try {
      await using workers = await PatientWorkers.on(server, "exchange");
      const { endpoint } = workers;
      const times = { executionTimeoutMs: EXECUTION_TIMEOUT, runRetentionMs: RETENTION };
      expect((await server.call("PATCH", `/v1/endpoints/${endpoint}`, times)).json).toMatchObject(times);
      const worker = await workers.start();
      const ended = await server.run(endpoint);
      await workers.begun(ended);

      const since = performance.now();
      const started = await server.run(endpoint);
      const laterSince = performance.now();
      const policy = { ttl: TTL, executionTimeout: 60_000 };
      const living = await server.run(endpoint, {}, { policy });
      const other = await workers.start();
      await workers.begun(started);
      await workers.begun(living);
      const doneBefore = performance.now();
      await workers.complete(ended, worker);
      await passed(MIDDLE, since);
      await disturb(server, since);

      const byTimeout = await atItsEnd(server, endpoint, started, since);
      expect(byTimeout.sinceSubmission).toBeGreaterThanOrEqual(EXECUTION_TIMEOUT);
      expect(byTimeout.record).toMatchObject({ status: "TIMED_OUT", error: "executionTimeout exceeded" });
      const { executionTime } = byTimeout.record;
      expect(executionTime).toBeGreaterThanOrEqual(EXECUTION_TIMEOUT);
      expect(executionTime).toBeLessThan(WRONG);

      const byTtl = await atItsEnd(server, endpoint, living, laterSince);
      expect(byTtl.sinceSubmission).toBeGreaterThanOrEqual(TTL);
      expect(byTtl.record).toMatchObject({ status: "TIMED_OUT", error: "ttl exceeded" });
      const lifetime = byTtl.record.delayTime + byTtl.record.executionTime;
      expect(lifetime).toBeGreaterThanOrEqual(TTL);
      expect(lifetime).toBeLessThan(WRONG);
      // R21: neither was taken from its worker meanwhile.
      for (const { record } of [byTimeout, byTtl]) expect(record).not.toHaveProperty("retries");
      expect(
        [worker, other].flatMap(({ lines }) => lines.filter((line) => line.startsWith("begun"))),
      ).toHaveLength(3);

      expect((await server.status(endpoint, ended)).status).toBe("COMPLETED");
      const gone = await goneAt(server, endpoint, ended);
      expect(gone - doneBefore).toBeGreaterThanOrEqual(RETENTION);
    } finally {
      await server.stop();
    }
  });
});

/**
 * The record of the job at its end, and how long after its submission that was seen, in whole milliseconds:
 * the server counts no parts of them, so that a deadline can come by less than one too early.
 */
async function atItsEnd(
  server: ServerProcess,
  endpoint: string,
  id: string,
  since: number,
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into records of any shape
): Promise<{ record: any; sinceSubmission: number }> {
  const record = await server.ended(endpoint, id);
  return { record, sinceSubmission: Math.ceil(performance.now() - since) };
}

/** When the record was first seen to be gone. */
async function goneAt(server: ServerProcess, endpoint: string, id: string): Promise<number> {
  await until("the record is gone", async () => {
    const { status } = await server.get(`/v2/${endpoint}/status/${id}`);
    return status === 404;
  });
  return performance.now();
}
