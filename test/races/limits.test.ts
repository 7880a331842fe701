import { describe, expect, test } from "bun:test";
import { freshServer } from "../support/fresh-server.ts";
import type { TestServer } from "../support/test-server.ts";
import { gateBefore } from "./in-order.ts";

const LIMIT = 1_000;

describe("the limiter and the commit", () => {
  let server: TestServer;
  let endpoint: string;
  freshServer((fresh) => ({ server, endpoint } = fresh), { isStill: true });

  const run = () => server.post(`/v2/${endpoint}/run`, { input: {} });
  const inQueue = async () => (await server.get(`/v2/${endpoint}/health`)).json.jobs.inQueue;

  async function runAllButOne(): Promise<void> {
    for (let done = 0; done < LIMIT - 1; done += 111) {
      await Promise.all(Array.from({ length: 111 }, () => server.run(endpoint)));
    }
  }

  test("R29, limiter first: it counts before the commit; the next is refused and makes no job", async () => {
    await runAllButOne();
    const gate = gateBefore(server.forebay.engine.store);
    const last = run();
    await gate.waits("enqueue");
    expect((await run()).json.code).toBe("RATE_LIMITED");
    gate.open();
    expect((await last).status).toBe(200);
    expect(await inQueue()).toBe(LIMIT);
  });

  test("R29, commit first: what is stored counts once; the next is refused and makes no job", async () => {
    await runAllButOne();
    expect((await run()).status).toBe(200);
    expect((await run()).json.code).toBe("RATE_LIMITED");
    expect(await inQueue()).toBe(LIMIT);
  });

  test("a commit that failed made no job, and its request counts all the same", async () => {
    await runAllButOne();
    const { store } = server.forebay.engine;
    const { apply } = store;
    store.apply = () => Promise.reject(new Error("no room"));
    expect((await run()).status).toBe(500);
    expect(server.log.entries.splice(0)).toMatchObject([{ level: "error" }]);
    store.apply = apply;
    expect((await run()).json.code).toBe("RATE_LIMITED");
    expect(await inQueue()).toBe(LIMIT - 1);
  });
});
