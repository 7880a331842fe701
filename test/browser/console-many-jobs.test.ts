import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { stepsOf } from "../model/steps.ts";
import { startBrowser } from "../support/browser.ts";
import { TestServer } from "../support/test-server.ts";
import { openConsole } from "./console-world.ts";

const FINISHED = 100_000;
const TOGETHER = 1_000;
const ENDPOINTS = 20;

/** ms. */
const LIMIT = 1_000;

/** The time from the click until the rows are drawn, ms, as the page itself measures it. */
const MEASURED = `new Promise((done) => {
  const begun = performance.now();
  const look = () => {
    const rows = document.querySelectorAll(".job-list:not(.old) tbody tr").length;
    if (rows >= 50 && location.hash.includes(window.sought)) done(performance.now() - begun);
    else requestAnimationFrame(look);
  };
  location.hash = window.sought;
  look();
})`;

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

  test("it is drawn within a second, without and with filters", async () => {
    const { page, context, faults } = await openConsole(browser, server);
    for (const place of [
      "#/jobs",
      "#/jobs?state=CANCELLED",
      "#/jobs?tag=rare",
      "#/jobs?endpoint=endpoint-7",
    ]) {
      await page.evaluate(`window.sought = ${JSON.stringify(place)}`);
      const took: number[] = [];
      for (let round = 0; round < 3; round++) {
        await page.evaluate("location.hash = '#/templates'");
        await page.getByRole("heading", { name: "Templates", level: 1 }).waitFor();
        took.push(await page.evaluate<number>(MEASURED));
      }
      // The best of three: other suites use the same cores.
      expect([place, Math.min(...took) < LIMIT]).toEqual([place, true]);
    }
    expect(faults).toEqual([]);
    await context.close();
  });
});
