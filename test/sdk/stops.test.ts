import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Handler } from "@forebay/worker";
import { ManualClock } from "../support/manual-clock.ts";
import { PROTOCOLS, SdkWorker } from "../support/sdk-worker.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";
import { UNDELIVERED } from "../model/steps.ts";

describe.each(PROTOCOLS)("a job that is to stop, over the %s protocol", (protocol) => {
  const clock = new ManualClock();
  let server: TestServer;
  let endpoint: string;
  let worker: SdkWorker;
  beforeEach(async () => {
    server = await TestServer.start({ clock, flags: { "rehand-delay-ms": "500" } });
    endpoint = await server.endpoint();
  });
  afterEach(async () => {
    await worker.stop();
    await server.stop();
  });

  const start = async <Input>(handler: Handler<Input>, concurrency = 1): Promise<void> => {
    worker = await SdkWorker.start(server, endpoint, { handler, concurrency, protocol });
  };
  const cancel = (id: string) => server.post(`/v2/${endpoint}/cancel/${id}`);
  const ignored = async () => (await server.forebay.engine.store.counts(endpoint))?.ignored;

  /** A handler that runs until its job is to stop; who has begun and how it was told to stop. */
  function patient() {
    const begun = new Set<string>();
    const reasons = new Map<string, Error>();
    const handler: Handler = ({ id }, { signal }) =>
      new Promise((resolve) => {
        begun.add(id);
        signal.addEventListener("abort", () => {
          reasons.set(id, signal.reason);
          resolve("dropped");
        });
      });
    return { begun, reasons, handler };
  }

  test("on cancel the handler's signal aborts; what it returns then is not reported", async () => {
    const { begun, reasons, handler } = patient();
    await start(handler);
    const id = await server.run(endpoint);
    await until("the handler begins", () => begun.has(id));
    await cancel(id);
    await until("the signal aborts", () => reasons.has(id));
    expect(reasons.get(id)).toMatchObject({
      name: "AbortError",
      message: "the job was cancelled or has timed out",
    });
    const next = await server.run(endpoint);
    await until("the slot is free", () => begun.has(next));
    await cancel(next);
    await until("the next job stops", () => reasons.has(next));
    expect(await ignored()).toBe(0);
  });

  test("on the execution time-out the signal aborts", async () => {
    const { begun, reasons, handler } = patient();
    await start(handler);
    const id = await server.run(endpoint, {}, { policy: { executionTimeout: 5_001 } });
    await until("the handler begins", () => begun.has(id));
    await clock.advance(5_000);
    expect(reasons.size).toBe(0);
    await clock.advance(500);
    await until("the signal aborts", () => reasons.has(id));
    expect(await server.status(endpoint, id)).toMatchObject({
      status: "TIMED_OUT",
      error: "executionTimeout exceeded",
    });
  });

  test("the others of the worker go on", async () => {
    const { begun, reasons, handler } = patient();
    const mayEnd = Promise.withResolvers<void>();
    await start<{ patient: boolean }>(async (job, context) => {
      if (job.input.patient) return handler(job, context);
      begun.add(job.id);
      context.signal.addEventListener("abort", () => reasons.set(job.id, context.signal.reason));
      await mayEnd.promise;
      return "done";
    }, 3);
    const [first, second, third] = [
      await server.run(endpoint, { patient: false }),
      await server.run(endpoint, { patient: true }),
      await server.run(endpoint, { patient: false }),
    ];
    await until("all three run", () => begun.size === 3);
    await cancel(second);
    await until("the one in the middle stops", () => reasons.has(second));
    mayEnd.resolve();
    for (const id of [first, third]) {
      const { json } = await server.get(`/v2/${endpoint}/status-sync/${id}`);
      expect(json).toMatchObject({ status: "COMPLETED", output: "done" });
    }
    expect([...reasons.keys()]).toEqual([second]);
  });

  test("its slot is free only when its handler has settled, however long that takes", async () => {
    const begun: string[] = [];
    const mayEnd = Promise.withResolvers<void>();
    let isTold = false;
    await start(async ({ id }, { signal }) => {
      begun.push(id);
      signal.addEventListener("abort", () => (isTold = true));
      if (begun.length === 1) await mayEnd.promise;
    });
    const first = await server.run(endpoint);
    await until("the first job runs", () => begun.length === 1);
    const second = await server.run(endpoint);
    await cancel(first);
    await until("it is told to stop", () => isTold);
    await clock.advance(7_000);
    expect(begun).toEqual([first]);
    mayEnd.resolve();
    await until("the second job runs", () => begun.length === 2);
    expect(begun).toEqual([first, second]);
    await server.get(`/v2/${endpoint}/status-sync/${second}`);
  });

  test("a signal that is first asked for after the stop has aborted already", async () => {
    const begun = Promise.withResolvers<void>();
    const mayLook = Promise.withResolvers<void>();
    const looked = Promise.withResolvers<AbortSignal>();
    const { begun: bystanders, reasons, handler } = patient();
    await start<{ late: boolean }>(async (job, context) => {
      if (!job.input.late) return handler(job, context);
      begun.resolve();
      await mayLook.promise;
      looked.resolve(context.signal);
      return undefined;
    }, 2);
    const [late, bystander] = [
      await server.run(endpoint, { late: true }),
      await server.run(endpoint, { late: false }),
    ];
    await begun.promise;
    await until("both run", () => bystanders.has(bystander));
    await cancel(late);
    await cancel(bystander);
    await until("the worker was told", () => reasons.has(bystander));
    mayLook.resolve();
    expect((await looked.promise).aborted).toBe(true);
  });

  test("a generator is closed at its next yield", async () => {
    const closed = Promise.withResolvers<void>();
    let yields = 0;
    await start(async function* () {
      try {
        for (;;) {
          yield yields++;
          await new Promise(setImmediate);
        }
      } finally {
        closed.resolve();
      }
    });
    const id = await server.run(endpoint);
    await until("it yields", () => yields > 3);
    await cancel(id);
    await closed.promise;
    expect(await server.status(endpoint, id)).toMatchObject({ status: "CANCELLED" });
  });

  test("a retry runs next to the attempt that was stopped, whose result is dropped", async () => {
    const attempts: { end: () => void; signal: AbortSignal }[] = [];
    await start((_job, { signal }) => new Promise<void>((end) => attempts.push({ end, signal })), 2);
    const id = await server.run(endpoint, {}, { policy: { executionTimeout: 5_001 } });
    await until("the first attempt runs", () => attempts.length === 1);
    await clock.advance(6_000);
    expect(await server.status(endpoint, id)).toMatchObject({ status: "TIMED_OUT" });
    await server.post(`/v2/${endpoint}/retry/${id}`);
    // Until then only other workers get it: this one still runs the first attempt.
    await clock.advance(2_000);
    await until("the second attempt runs", () => attempts.length === 2);
    expect(attempts.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    attempts[0]?.end();
    const next = await server.run(endpoint);
    await until("the slot of the first is free", () => attempts.length === 3);
    expect(await server.status(endpoint, id)).toMatchObject({ status: "IN_PROGRESS" });
    await cancel(id);
    await until("the second attempt is told to stop", () => attempts[1]?.signal.aborted === true);
    for (const { end } of attempts) end();
    const { json } = await server.get(`/v2/${endpoint}/status-sync/${next}`);
    expect(json).toMatchObject({ status: "COMPLETED" });
  });
});

test("over the exchange a job that was given to another worker stops at its next chunk", async () => {
  const server = await TestServer.start();
  const endpoint = await server.endpoint();
  const stopped = Promise.withResolvers<Error>();
  const mayYield = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const worker = await SdkWorker.start(server, endpoint, {
    protocol: "exchange",
    async *handler(_job, { signal }) {
      begun.resolve();
      signal.addEventListener("abort", () => stopped.resolve(signal.reason));
      await mayYield.promise;
      yield "late";
      await stopped.promise;
    },
  });
  const id = await server.run(endpoint);
  await begun.promise;
  const { store, clock } = server.forebay.engine;
  const barUntil = clock.now() + 60_000;
  const counts = { losses: 1, undelivered: 0, end: UNDELIVERED };
  await store.apply([{ step: "giveBack", endpoint, id, attempt: 1, ...counts, barUntil }], clock.now());
  mayYield.resolve();
  expect((await stopped.promise).message).toBe("the job has ended or runs elsewhere");
  await worker.stop();
  expect(await server.status(endpoint, id)).toMatchObject({ status: "IN_QUEUE" });
  await server.stop();
});
