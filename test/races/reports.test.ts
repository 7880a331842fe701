import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { storageFull } from "../../src/domain/errors.ts";
import { offerWaiting } from "../../src/engine/wake.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { RawConnection } from "../support/raw-connection.ts";
import { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";
import { until } from "../support/until.ts";

const SECOND = 1_000;

describe("races of a report whose worker does not know that it arrived", () => {
  let clock: ManualClock;
  let server: TestServer;
  let endpoint: string;
  let worker: TestWorker;
  let other: TestWorker;
  let id: string;
  beforeEach(async () => {
    clock = new ManualClock();
    server = await TestServer.start({ clock });
    endpoint = await server.endpoint();
    worker = await server.worker(endpoint);
    other = await server.worker(endpoint);
    id = await server.run(endpoint);
    expect((await worker.take()).json.id).toBe(id);
  });
  afterEach(() => server.stop());

  const retry = () => server.post(`/v2/${endpoint}/retry/${id}`);
  const state = async (): Promise<string> => (await server.status(endpoint, id)).status;
  const attemptsFor = async (taker: TestWorker, wait = 0): Promise<number[]> => {
    const { json } = await taker.exchange({ alive: [], take: 1, wait });
    return json.jobs.map(({ attempt }: { attempt: number }) => attempt);
  };

  /** The next report is committed by `commit`, which is handed how to do so. */
  function commitReportBy(commit: <Answers>(apply: () => Promise<Answers>) => Promise<Answers>): void {
    const { store } = server.forebay.engine;
    const { apply } = store;
    store.apply = (steps, now) => {
      if (!steps.some((step) => step.step === "finish")) return apply(steps, now);
      store.apply = apply;
      return commit(() => apply(steps, now));
    };
  }

  /** Reports a failure on a connection that breaks once that is durable, after `meanwhile`. */
  async function failUnheard(meanwhile: () => Promise<unknown>): Promise<void> {
    const body = '{"error":"no"}';
    const connection = new RawConnection(server.url);
    commitReportBy(async (apply) => {
      const answers = await apply();
      await meanwhile();
      connection.socket.resetAndDestroy();
      await connection.closed();
      return answers;
    });
    const head = connection.head(
      `POST /v2/${endpoint}/job-done/${worker.id}/${id}`,
      `content-length: ${body.length}`,
    );
    const token = worker.env["RUNPOD_AI_API_KEY"] ?? "";
    connection.write(head.replace(/authorization: [^\r]*/, `authorization: ${token}`) + body);
    await connection.closed();
    expect(connection.statuses).toEqual([]);
    // By the answer to this the server is done with the report.
    await state();
  }

  test("R6, answered report first: its worker gets the next attempt at once", async () => {
    expect((await worker.done(id, { error: "no" })).status).toBe(200);
    await retry();
    expect(await attemptsFor(worker)).toEqual([2]);
  });

  const orders: readonly (readonly [string, () => Promise<void>])[] = [
    [
      "R6, broken answer first: its worker gets the next attempt after 10 s, not before",
      async () => {
        await failUnheard(async () => undefined);
        await retry();
      },
    ],
    [
      "R6, retry before the answer broke first: its worker gets the next attempt after 10 s, not before",
      () => failUnheard(retry),
    ],
  ];
  test.each(orders)("%s", async (_name, failAndRetry) => {
    await failAndRetry();
    expect(await attemptsFor(worker)).toEqual([]);
    expect((await worker.done(id, { error: "no" })).status).toBe(200);
    expect(await state()).toBe("IN_QUEUE");
    await clock.advance(10 * SECOND - 1);
    expect(await attemptsFor(worker)).toEqual([]);
    await clock.advance(1);
    expect(await attemptsFor(worker)).toEqual([2]);
  });

  test("R6, broken answer first: the failure sent again does not end the attempt of another", async () => {
    await failUnheard(async () => undefined);
    await retry();
    expect(await attemptsFor(other)).toEqual([2]);
    expect((await worker.done(id, { error: "no" })).status).toBe(200);
    expect(await state()).toBe("IN_PROGRESS");
  });

  test("R6, 503 first: its worker gets the next attempt after 10 s, another one at once", async () => {
    commitReportBy(() => Promise.reject(storageFull()));
    expect((await worker.done(id, { error: "no" })).status).toBe(503);
    await clock.advance(3 * SECOND);
    await worker.exchange({ alive: [] });
    expect(await state()).toBe("IN_QUEUE");
    expect(await attemptsFor(worker)).toEqual([]);
    // The queue was found empty: who asks now is offered what waits by the next look.
    const parked = attemptsFor(other, SECOND);
    await until("the call waits", () => server.forebay.engine.parkedTakes.endpoints().length > 0);
    await offerWaiting(server.forebay.engine);
    expect(await parked).toEqual([2]);
  });
});
