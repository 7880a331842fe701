import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { StartOptions } from "@forebay/worker";
import { PROTOCOLS, SdkWorker } from "../support/sdk-worker.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

describe.each(PROTOCOLS)("concurrency_modifier over the %s protocol", (protocol) => {
  let server: TestServer;
  let endpoint: string;
  let worker: SdkWorker;
  let running: (() => void)[] = [];
  let most = 0;
  beforeEach(async () => {
    // Calls that wait are answered soon, so that the worker asks its modifier again.
    server = await TestServer.start({ flags: { "ping-interval-ms": "100", "take-hold-ms": "100" } });
    endpoint = await server.endpoint();
    running = [];
    most = 0;
  });
  afterEach(async () => {
    const stopped = worker.stop();
    for (const end of running) end();
    await stopped;
    await server.stop();
  });

  const start = async (options: Partial<StartOptions>): Promise<void> => {
    const handler = () =>
      new Promise<void>((resolve) => {
        const end = (): void => {
          running = running.filter((other) => other !== end);
          resolve();
        };
        most = Math.max(most, running.push(end));
      });
    worker = await SdkWorker.start(server, endpoint, { handler, protocol, ...options });
  };
  const submit = (count: number) => Promise.all(Array.from({ length: count }, () => server.run(endpoint)));
  const ended = async (ids: readonly string[]): Promise<void> => {
    await until("all have ended", async () => {
      for (const end of running) end();
      const { jobs } = (await server.get(`/v2/${endpoint}/health`)).json;
      return jobs.completed === ids.length;
    });
  };

  test("says how many jobs run at the same time, at once or later", async () => {
    await start({ concurrency: 2, concurrency_modifier: (current) => Math.min(5, current + 3) });
    const ids = await submit(8);
    await until("five run", () => running.length === 5);
    await ended(ids);
    expect(most).toBe(5);
  });

  test("may answer later: no job is taken before it has", async () => {
    const asked = Promise.withResolvers<void>();
    const first = Promise.withResolvers<number>();
    await start({
      concurrency_modifier: (current) => {
        asked.resolve();
        return current === 1 ? first.promise : Promise.resolve(current);
      },
    });
    await asked.promise;
    const ids = await submit(4);
    expect((await server.get(`/v2/${endpoint}/health`)).json.jobs.inQueue).toBe(4);
    first.resolve(3);
    await until("three run", () => running.length === 3);
    await ended(ids);
    expect(most).toBe(3);
  });

  test("gives a full worker more slots, and takes slots away as jobs end", async () => {
    let answer = 1;
    await start({ concurrency_modifier: () => answer });
    const ids = await submit(9);
    await until("one runs", () => running.length === 1);
    answer = 4;
    await until("four run", () => running.length === 4);
    answer = 2;
    // What is under way already may still bring jobs.
    const one = await server.get(`/v2/${endpoint}/health`);
    expect(one.json.jobs.inProgress).toBe(4);
    for (const end of running.slice(0, 3)) end();
    await until("two run", () => running.length === 2);
    await ended(ids);
    expect(most).toBe(4);
  });

  test("that answers nonsense, or fails, changes nothing; less than one is one", async () => {
    const answers = [0, -3, Number.NaN, 1.5, "3" as unknown as number];
    let asked = 0;
    await start({
      concurrency: 2,
      concurrency_modifier: () => {
        const answer = answers[asked++];
        if (answer === undefined) throw new Error("no more answers");
        return asked % 2 === 0 ? Promise.resolve(answer) : answer;
      },
    });
    const ids = await submit(3);
    await until("one runs", () => running.length === 1);
    await until("all answers were given", () => asked > answers.length);
    await ended(ids);
    expect(most).toBe(1);
  });

  test("that never answers does not keep the worker from ending", async () => {
    const asked = Promise.withResolvers<void>();
    await start({
      concurrency_modifier: () => {
        asked.resolve();
        return new Promise<number>(() => undefined);
      },
    });
    await asked.promise;
    await worker.stop();
    expect(running).toEqual([]);
  });
});
