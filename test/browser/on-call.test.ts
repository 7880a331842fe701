import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { startBrowser } from "../support/browser.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";
import { until } from "../support/until.ts";
import { openConsole } from "./console-world.ts";

const MINUTE = 60_000;
const ENDPOINTS = 20;
const ALIKE = 29;
const MOST_ACTIONS = 5;

const OUT_OF_MEMORY = "CUDA out of memory. Tried to allocate 2.00 GiB";
const OTHERS = ["connection reset by peer", "no such voice", "CUDA error: device-side assert", "bad prompt"];

/** Yesterday at this time of the day, here. */
function yesterdayAt(hours: number, minutes: number): number {
  const time = new Date();
  time.setDate(time.getDate() - 1);
  return time.setHours(hours, minutes, 0, 0);
}

/** As a date field takes it. */
function fieldText(at: number): string {
  return new Date(at - new Date(at).getTimezoneOffset() * MINUTE).toISOString().slice(0, 16);
}

describe("somebody on call, in Chromium", () => {
  let clock: ManualClock;
  let server: TestServer;
  let browser: Browser;
  let render: string;
  const workers = new Map<string, TestWorker>();

  beforeAll(async () => {
    clock = new ManualClock(yesterdayAt(10, 0));
    [server, browser] = await Promise.all([TestServer.start({ clock }), startBrowser()]);
    for (let number = 0; number < ENDPOINTS; number++) {
      const endpoint = await server.endpoint({ name: number === 7 ? "render" : `endpoint-${number}` });
      if (number === 7) render = endpoint;
      workers.set(endpoint, await server.worker(endpoint));
    }
    const [first = ""] = workers.keys();
    // The same error at another time, elsewhere.
    await fail(first, [OUT_OF_MEMORY, OUT_OF_MEMORY]);
    await goOnAt(yesterdayAt(14, 5));
    for (const endpoint of workers.keys()) await fail(endpoint, OTHERS);
    await fail(
      render,
      Array.from({ length: ALIKE }, () => OUT_OF_MEMORY),
    );
    await goOnAt(yesterdayAt(18, 30));
    for (const endpoint of workers.keys()) await fail(endpoint, [OUT_OF_MEMORY, ...OTHERS]);
    await goOnAt(Date.now());
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  async function goOnAt(time: number): Promise<void> {
    await clock.standStill(time - clock.now());
    await clock.advance(2_000);
  }

  /** Jobs that fail one after the other, and their records. */
  async function fail(endpoint: string, errors: readonly string[]): Promise<void> {
    const worker = workers.get(endpoint);
    for (const error of errors) {
      const job = await server.run(endpoint, { prompt: `a picture of ${error}` });
      await worker?.take();
      await worker?.done(job, { error });
      await clock.advance(20);
    }
    await clock.advance(2_000);
  }

  const idsOf = (page: Page): Promise<string[]> =>
    page.evaluate("[...document.querySelectorAll('.job-list tbody th a')].map(({ title }) => title)");

  test("finds the job that failed yesterday in five actions, and resubmits all 29 like it", async () => {
    const { page, context, faults } = await openConsole(browser, server);
    await page.getByRole("link", { name: "render" }).waitFor();
    let actions = 0;
    const act = async (doing: Promise<unknown>): Promise<void> => {
      actions++;
      await doing;
    };
    await act(page.getByRole("combobox", { name: /^Search/ }).fill("cuda out of memory"));
    await act(page.getByRole("option", { name: `Jobs with the error “${OUT_OF_MEMORY}”` }).click());
    await act(page.getByLabel("Ended from").fill(fieldText(yesterdayAt(14, 0))));
    await act(page.getByLabel("Ended before").fill(fieldText(yesterdayAt(14, 15))));
    await page.getByText(`${ALIKE} jobs`, { exact: true }).waitFor();
    const failed = await idsOf(page);
    await act(page.locator(".job-list tbody th a").first().click());
    await page.locator(".failure").getByText(OUT_OF_MEMORY).waitFor();
    expect(actions).toBeLessThanOrEqual(MOST_ACTIONS);
    // Its input is there, a day after its result has expired.
    await page.getByText(`a picture of ${OUT_OF_MEMORY}`).waitFor();

    await page.goBack();
    await page.getByText(`${ALIKE} jobs`, { exact: true }).waitFor();
    await page.getByLabel("Select all").check();
    await page.getByRole("button", { name: "Resubmit" }).click();
    await page.getByText(`${ALIKE} jobs are selected.`).waitFor();
    await page.getByRole("button", { name: `Resubmit ${ALIKE} jobs` }).click();
    const isDone = page.getByText(`${ALIKE} jobs are submitted again.`);
    await until("all are submitted again", async () => {
      await clock.advance(500);
      return isDone.isVisible();
    });
    await page.getByRole("link", { name: "Show the new jobs" }).click();
    await page.getByText(`${ALIKE} jobs`, { exact: true }).waitFor();
    const made = await idsOf(page);
    expect(made.filter((id) => failed.includes(id))).toEqual([]);
    const worker = workers.get(render);
    for (let count = 0; count < ALIKE; count++) {
      const { json } = (await worker?.take()) ?? {};
      await worker?.done(json.id, { output: { picture: "…" } });
    }
    await until("the list shows all of them completed", async () => {
      await clock.advance(1_000);
      return (await page.locator(".job-list .badge.good").count()) === ALIKE;
    });
    expect(await idsOf(page)).toEqual(made);
    await page.locator(".job-list tbody th a").first().click();
    const origin = page.getByLabel("Facts").getByRole("link");
    expect(failed).toContain(await origin.innerText());
    expect(faults).toEqual([]);
    await context.close();
  });
});
