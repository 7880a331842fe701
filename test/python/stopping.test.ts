import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { ASKS_FOR_JOB, type PythonProcesses, withPython } from "../support/python-processes.ts";
import type { PythonProcess } from "../support/python-process.ts";
import { type EndToEndServer, startEndToEnd } from "../support/end-to-end-server.ts";

setDefaultTimeout(90_000);

let server: EndToEndServer;
beforeAll(async () => {
  server = await startEndToEnd();
});
afterAll(() => server.stop());

interface Running {
  readonly endpoint: string;
  readonly worker: PythonProcess;
  /** The id of a job whose handler has begun, and waits for the file `first`. */
  readonly id: string;
}

/** A job that waits in the handler of a worker. */
async function running(
  python: PythonProcesses,
  script: string,
  members: Record<string, unknown> = {},
): Promise<Running> {
  const endpoint = await server.endpoint();
  const worker = await python.worker({ server, endpoint, script });
  const id = await server.run(endpoint, { until: "first" }, members);
  await worker.line(new RegExp(`began ${id}`));
  return { endpoint, worker, id };
}

/** The worker has a place for another job, and runs it. */
async function expectNextJobRuns({ endpoint, worker }: Running): Promise<void> {
  worker.touch("second");
  expect(await server.ended(endpoint, await server.run(endpoint, { until: "second" }))).toMatchObject({
    status: "COMPLETED",
    output: { until: "second" },
  });
}

/**
 * Ends the worker as its container does, when it has been quiet for the time between two pings: what the SDK
 * prints at SIGTERM raises an exception in whatever was being printed at that moment.
 */
async function terminate(worker: PythonProcess): Promise<void> {
  await pings(worker, 2);
  worker.terminate();
  await worker.line(/Received shutdown signal/);
}

/** That many pings from now on. A process of its own sends and prints them. */
function pings(worker: PythonProcess, count: number): Promise<string> {
  return worker.line(/Heartbeat Sent/, worker.count(/Heartbeat Sent/) + count);
}

test.concurrent("cancel stops an asynchronous handler with CancelledError, and frees its place", () =>
  withPython(async (python) => {
    const job = await running(python, "patient.py");
    const { json } = await server.post(`/v2/${job.endpoint}/cancel/${job.id}`);
    expect(json).toEqual({ id: job.id, status: "CANCELLED" });
    await job.worker.line(new RegExp(`cancelled ${job.id}`));
    await expectNextJobRuns(job);
    expect(await server.status(job.endpoint, job.id)).toMatchObject({ status: "CANCELLED" });
    // The stop is told until the worker no longer shows the job, and not again and again.
    expect(job.worker.count(/Stopping job/)).toBe(1);
    python.expectNoComplaint();
  }),
);

test.concurrent(
  "cancel ends the job of a blocking handler at once, and its late result changes nothing",
  () =>
    withPython(async (python) => {
      const job = await running(python, "blocking.py");
      const { json } = await server.post(`/v2/${job.endpoint}/cancel/${job.id}`);
      expect(json).toEqual({ id: job.id, status: "CANCELLED" });
      const cancelled = await server.status(job.endpoint, job.id);
      expect(cancelled).not.toHaveProperty("output");
      job.worker.touch("first");
      await job.worker.line(new RegExp(`"${job.id}", "message": "Finished Job"`));
      await expectNextJobRuns(job);
      expect(await server.status(job.endpoint, job.id)).toEqual(cancelled);
      python.expectNoComplaint();
    }),
);

test.concurrent("executionTimeout ends the job TIMED_OUT, and its handler is told to stop", () =>
  withPython(async (python) => {
    const job = await running(python, "patient.py", { policy: { executionTimeout: 5_001 } });
    const record = await server.ended(job.endpoint, job.id);
    expect(record).toMatchObject({ status: "TIMED_OUT", error: "executionTimeout exceeded" });
    expect(record.executionTime).toBeWithin(5_001, 6_001);
    await job.worker.line(new RegExp(`cancelled ${job.id}`));
    await expectNextJobRuns(job);
    python.expectNoComplaint();
  }),
);

test.concurrent("after SIGTERM a worker finishes its job, reports it, and ends", () =>
  withPython(async (python) => {
    const { endpoint, worker, id } = await running(python, "blocking.py");
    await terminate(worker);
    worker.touch("first");
    expect(await server.ended(endpoint, id)).toMatchObject({
      status: "COMPLETED",
      output: { until: "first" },
    });
    expect(await worker.exited).toBe(0);
    expect(worker.count(ASKS_FOR_JOB)).toBe(1);
    python.expectNoComplaint();
  }),
);

test.concurrent(
  "a job handed to the parked call of a worker that is ending goes out again, and ends once",
  () =>
    withPython(async (python) => {
      const endpoint = await server.endpoint();
      const ending = await python.worker({ server, endpoint, script: "patient.py" });
      await terminate(ending);
      // By then its loop that runs jobs has ended; its call for jobs still waits.
      await pings(ending, 2);
      const id = await server.run(endpoint, { until: "first" });
      await ending.line(new RegExp(`"${id}", "message": "Job Queued"`));
      const other = await python.worker({ server, endpoint, script: "patient.py" });
      await ending.exited;
      await other.line(new RegExp(`began ${id}`));
      other.touch("first");
      expect(await server.ended(endpoint, id)).toMatchObject({ status: "COMPLETED" });
      expect(ending.count(/began/)).toBe(0);
      expect(other.count(/began/)).toBe(1);
      python.expectNoComplaint();
    }),
  // Before it exits the SDK waits up to 90 s for its stop poll, which stays open for the job (decision 0033).
  150_000,
);

test.concurrent("with refresh_worker a worker reports its job and leaves", () =>
  withPython(async (python) => {
    const endpoint = await server.endpoint();
    const worker = await python.worker({ server, endpoint, script: "refresh.py" });
    const id = await server.run(endpoint, { text: "last" });
    expect(await server.ended(endpoint, id)).toMatchObject({ status: "COMPLETED", output: { text: "last" } });
    expect(await worker.exited).toBe(0);
    expect(worker.count(ASKS_FOR_JOB)).toBe(1);
    python.expectNoComplaint();
  }),
);
