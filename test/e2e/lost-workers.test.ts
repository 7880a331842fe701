import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { ChildWorker } from "../support/child-worker.ts";
import { DeadPoller } from "../support/dead-poller.ts";
import { PatientWorkers } from "../support/patient-workers.ts";
import { PROTOCOLS } from "../support/sdk-worker.ts";
import { ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";

// With the durations that a server has by itself, so the tests wait side by side. That a lost job is back
// within 10 s is shown on a clock of its own in test/engine/leases.test.ts.
setDefaultTimeout(90_000);

let server: ServerProcess;
beforeAll(async () => {
  server = await ServerProcess.start();
});
afterAll(() => server.stop());

const handedOut = (endpoint: string, job: string) =>
  until("the job is handed out", async () => (await server.status(endpoint, job)).status === "IN_PROGRESS");

const jobCounts = async (endpoint: string) => (await server.health(endpoint)).jobs;

describe.each(PROTOCOLS)("a lost job, over the %s protocol", (protocol) => {
  // A poller that shares its token and speaks the public protocol is silent: nobody can tell that it is dead
  // (decision 0033).
  for (const many of protocol === "public" ? [false] : [false, true]) {
    const whose = many ? "of a shared token" : "with a token of its own";

    for (const end of ["silent", "reset"] as const) {
      const what =
        end === "silent"
          ? "its connection open and never read"
          : "which closes its connection before it reads the answer";

      test.concurrent(`R9, R10: a dead poller ${whose}, ${what}: its job is at work`, async () => {
        await using workers = await PatientWorkers.on(server, protocol);
        using poller = await DeadPoller.ask(await workers.admit(many), protocol);
        const job = await server.run(workers.endpoint);
        await handedOut(workers.endpoint, job);
        if (end === "reset") poller.close();
        const worker = await workers.start();
        expect(await workers.begun(job)).toBe(worker);
        // Nobody had it, so nobody lost it.
        expect(await workers.complete(job, worker)).not.toHaveProperty("retries");
        expect(workers.timesBegun(job)).toBe(1);
        expect(await jobCounts(workers.endpoint)).toMatchObject({ completed: 1, failed: 0, retried: 0 });
      });
    }
  }

  test.concurrent(`R10: pollers that hang up while jobs come lose none of them`, async () => {
    await using workers = await PatientWorkers.on(server, protocol);
    const jobs: string[] = [];
    for (let round = 0; round < 10; round++) {
      using poller = await DeadPoller.ask(await workers.admit(), protocol);
      const submitted = server.run(workers.endpoint);
      // Before, while and after the server makes up its mind.
      for (let turn = 0; turn < round; turn++) await new Promise(setImmediate);
      poller.close();
      jobs.push(await submitted);
    }
    const worker = await workers.start();
    const ends = jobs.map(async (job) => {
      expect(await workers.begun(job)).toBe(worker);
      expect(await workers.complete(job, worker)).not.toHaveProperty("retries");
    });
    await Promise.all(ends);
    expect(jobs.map((job) => workers.timesBegun(job))).toEqual(jobs.map(() => 1));
    expect(await jobCounts(workers.endpoint)).toMatchObject({ completed: 10, inQueue: 0, inProgress: 0 });
  });

  test.concurrent(`a killed worker: its job is at work elsewhere, and ends once`, async () => {
    await using workers = await PatientWorkers.on(server, protocol);
    const killed = await workers.start();
    const job = await server.run(workers.endpoint);
    await workers.proved(killed, job);
    const other = await workers.start();
    killed.signal("SIGKILL");
    expect(await workers.begun(job, [killed])).toBe(other);
    expect(await workers.complete(job, other)).toMatchObject({ retries: 1 });
    expect(workers.timesBegun(job)).toBe(2);
    expect(await jobCounts(workers.endpoint)).toMatchObject({ completed: 1, failed: 0, retried: 1 });
  });

  test.concurrent(
    `killed and started again as itself: it has the job back, which is FAILED with the third loss`,
    async () => {
      await using workers = await PatientWorkers.on(server, protocol);
      const admission = await workers.admit();
      const job = await server.run(workers.endpoint);
      const lives: ChildWorker[] = [];
      while (lives.length < 3) {
        const worker = await workers.start(admission);
        expect(await workers.begun(job, lives)).toBe(worker);
        await workers.proved(worker, job);
        worker.signal("SIGKILL");
        await worker.exit();
        lives.push(worker);
      }
      const record = await server.ended(workers.endpoint, job);
      expect(record).toMatchObject({ status: "FAILED" });
      expect(record["error"]).toMatch(
        /^the worker was lost 3 times, the last time because the worker (?:stopped answering|closed)/,
      );
      const next = await workers.start();
      const following = await server.run(workers.endpoint);
      await workers.complete(following, next);
      expect(workers.timesBegun(job)).toBe(3);
      expect(next.lines).not.toContain(`begun ${job}`);
    },
  );

  test.concurrent(
    `R12, R20: a worker that stood still: the job runs elsewhere, its late result counts if it may`,
    async () => {
      await using workers = await PatientWorkers.on(server, protocol);
      const late = await workers.start();
      const job = await server.run(workers.endpoint);
      await workers.proved(late, job);
      const other = await workers.start();
      late.signal("SIGSTOP");
      expect(await workers.begun(job, [late])).toBe(other);
      await workers.proved(other, job);
      const { workerId } = await server.status(workers.endpoint, job);
      const isLate = protocol === "public";
      late.signal("SIGCONT");
      late.tell(job);
      // It ends when all that it had to say was answered.
      late.signal("SIGTERM");
      expect(await late.exit()).toBe(0);
      if (isLate) {
        const record = await server.ended(workers.endpoint, job);
        expect(record).toMatchObject({ status: "COMPLETED", output: `done by ${late.pid}`, retries: 1 });
        expect(record["workerId"]).not.toBe(workerId);
      } else {
        expect(await server.status(workers.endpoint, job)).toMatchObject({ status: "IN_PROGRESS", workerId });
        expect(await workers.complete(job, other)).toMatchObject({ workerId, retries: 1 });
      }
      expect(await jobCounts(workers.endpoint)).toMatchObject({ completed: 1, failed: 0 });
    },
  );

  test.concurrent(
    `SIGTERM during a poll: what comes at that moment is at work elsewhere, and ends once`,
    async () => {
      await using workers = await PatientWorkers.on(server, protocol);
      const ending = await Promise.all(Array.from({ length: 4 }, () => workers.start()));
      const submitted = Array.from({ length: 8 }, () => server.run(workers.endpoint));
      for (const worker of ending) worker.signal("SIGTERM");
      const jobs = await Promise.all(submitted);
      await workers.start();
      await Promise.all(jobs.map(async (job) => workers.complete(job, await workers.begun(job))));
      expect(await Promise.all(ending.map((worker) => worker.exit()))).toEqual([0, 0, 0, 0]);
      expect(jobs.map((job) => workers.timesBegun(job))).toEqual(jobs.map(() => 1));
      expect(await jobCounts(workers.endpoint)).toMatchObject({ completed: 8, failed: 0, retried: 0 });
    },
  );

  test.concurrent(
    `eight workers with one token: jobs of three killed ones are elsewhere, and end once`,
    async () => {
      await using workers = await PatientWorkers.on(server, protocol);
      const shared = await workers.admit(true);
      await Promise.all(Array.from({ length: 8 }, () => workers.start(shared)));
      await until("all wait for jobs", async () => {
        return (await server.health(workers.endpoint)).workers.ready === 8;
      });
      const jobs = await Promise.all(Array.from({ length: 8 }, () => server.run(workers.endpoint)));
      const holders = await Promise.all(jobs.map((job) => workers.begun(job)));
      await Promise.all(holders.map((worker, index) => workers.proved(worker, jobs[index] ?? "")));
      const killed = new Set([...new Set(holders)].slice(0, 3));
      for (const worker of killed) worker.signal("SIGKILL");
      const wasLost = holders.map((holder) => killed.has(holder));
      const ends = await Promise.all(
        jobs.map((job, index) => workers.begun(job, wasLost[index] ? killed : [])),
      );
      for (const worker of ends) expect(killed.has(worker)).toBe(false);
      await Promise.all(ends.map((worker, index) => workers.complete(jobs[index] ?? "", worker)));
      expect(jobs.map((job) => workers.timesBegun(job))).toEqual(wasLost.map((lost) => (lost ? 2 : 1)));
      const retried = wasLost.filter(Boolean).length;
      expect(await jobCounts(workers.endpoint)).toMatchObject({ completed: 8, failed: 0, retried });
    },
  );
});
