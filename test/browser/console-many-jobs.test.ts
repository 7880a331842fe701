import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { stepsOf } from "../model/steps.ts";
import { startBrowser } from "../support/browser.ts";
import { TestServer } from "../support/test-server.ts";
import { goToPlace, openConsole } from "./console-world.ts";

const FINISHED = 100_000;
const TOGETHER = 1_000;
const ENDPOINTS = 20;

/** How many rows the console asks for at first. */
const PAGE = 50;

describe(`the list of jobs with ${FINISHED} finished ones, in Chromium`, () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([TestServer.start(), startBrowser()]);
    const endpoints: string[] = [];
    for (let n = 0; n < ENDPOINTS; n++) endpoints.push(await server.endpoint({ name: `endpoint-${n}` }));
    for (let first = 0; first < FINISHED; first += TOGETHER) await finish(endpoints, first);
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  /** Jobs that were cancelled, one ms after the other; each thousandth has the tag `rare`. */
  async function finish(endpoints: readonly string[], first: number): Promise<void> {
    const { store, clock } = server.forebay.engine;
    const jobs = Array.from({ length: TOGETHER }, (_, index) => {
      const number = first + index;
      const hex = number.toString(16).padStart(12, "0");
      return {
        number,
        endpoint: endpoints[number % ENDPOINTS] ?? "",
        id: `019c2f6e-8b1a-7000-8c1e-${hex}-u1`,
      };
    });
    const { policy } = stepsOf("").enqueue("", 0);
    const enqueues = jobs.map(({ number, endpoint, id }) =>
      stepsOf(endpoint).enqueue(id, number, {
        policy: { ...policy, tags: number % 1_000 === 0 ? ["rare"] : ["common"] },
      }),
    );
    const cancels = jobs.map(({ endpoint, id }) => stepsOf(endpoint).cancel(id));
    const names = jobs.map(({ endpoint, id }) => ({ endpoint, id }));
    const inputs = { all: [], none: [] };
    const ended = clock.now() - FINISHED + first;
    await store.apply([...enqueues, ...cancels, { step: "recordEnded", jobs: names, inputs }], ended);
  }

  test("one call finds the first rows, two calls those that one in a thousand jobs matches", async () => {
    const { page, context, faults } = await openConsole(browser, server);
    let calls: URLSearchParams[] = [];
    page.on("request", (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === "/v1/jobs") calls.push(searchParams);
    });
    // One call looks at about 50,000 jobs: at 50 rare ones or slightly fewer.
    const most = { "": 1, "state=CANCELLED": 1, "tag=rare": 2, "endpoint=endpoint-7": 1 };
    for (const [query, limit] of Object.entries(most)) {
      await goToPlace(page, "templates", "Templates");
      calls = [];
      await goToPlace(page, `jobs?${query}`, `${PAGE}+ jobs`);
      expect(await page.locator(".job-list:not(.old) tbody tr").count()).toBe(PAGE);
      // A later call looks for news, from the newest row on.
      const reads = calls.filter((asked) => !asked.has("from"));
      expect(reads[0]?.get("limit")).toBe(`${PAGE}`);
      expect(reads.length).toBeLessThanOrEqual(limit);
    }
    expect(faults).toEqual([]);
    await context.close();
  });
});
