import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { startBrowser } from "../support/browser.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";
import { goToPlace, openConsole } from "./console-world.ts";

/** ms. */
const TEN_MINUTES = 600_000;

/** Keeps, for each canvas, the texts of its last drawing. */
const KEEP_TEXTS = `{
  window.texts = new Map();
  const { clearRect, fillText } = CanvasRenderingContext2D.prototype;
  Object.assign(CanvasRenderingContext2D.prototype, {
    clearRect(...args) {
      window.texts.set(this.canvas, []);
      clearRect.apply(this, args);
    },
    fillText(text, ...args) {
      if (text !== "") window.texts.get(this.canvas)?.push(text);
      fillText.call(this, text, ...args);
    },
  });
}`;

/** In which tenths of its width the canvas of a chart has points of the colour of p95. */
const COLOURED = `(() => {
  const canvas = document.querySelector('[aria-label^="Execution:"] canvas');
  const probe = document.createElement("span");
  probe.style.color = "var(--warn)";
  canvas.parentElement.append(probe);
  const [r, g, b] = getComputedStyle(probe).color.match(/[0-9]+/g).map(Number);
  probe.remove();
  const { width, height } = canvas;
  const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, width, height);
  const tenths = new Set();
  for (let at = 0; at < data.length; at += 4) {
    const isNear = Math.abs(data[at] - r) + Math.abs(data[at + 1] - g) + Math.abs(data[at + 2] - b) < 24;
    if (isNear && data[at + 3] > 200) tenths.add(Math.floor((((at / 4) % width) * 10) / width));
  }
  return [...tenths].sort();
})()`;

describe("the charts of an endpoint, in Chromium", () => {
  let clock: ManualClock;
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    clock = new ManualClock(Date.now() - TEN_MINUTES);
    [server, browser] = await Promise.all([TestServer.start({ clock }), startBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  test("no line crosses minutes without data, no label repeats, and the charts share the hover", async () => {
    const templateId = (await server.post("/v1/templates", { name: "t", imageName: "process/hello" })).json
      .id;
    const endpoint = await server.endpoint({ name: "seldom", templateId, isPaused: true });
    await server.call("PATCH", `/v1/endpoints/${endpoint}`, { templateId: "", isPaused: false });
    const worker = await server.worker(endpoint);
    const runJobs = async (): Promise<void> => {
      for (let jobs = 0; jobs < 3; jobs++) {
        const id = await server.run(endpoint);
        await worker.take();
        await clock.advance(1_200);
        await worker.done(id, { output: 1 });
        await clock.advance(10_000);
      }
    };
    await runJobs();
    await clock.advance(TEN_MINUTES - 70_000);
    await runJobs();

    const { page, context, faults } = await openConsole(browser, server);
    await page.addInitScript(KEEP_TEXTS);
    await page.goto(`${server.url}/console#/endpoints/${endpoint}`);
    await page.reload();
    await page.getByRole("img", { name: /^Execution: half within/ }).waitFor();
    await until("both ends are drawn", async () => (await page.evaluate<number[]>(COLOURED)).length > 1);
    const tenths = await page.evaluate<number[]>(COLOURED);
    expect(tenths.at(-1)).toBe(9);
    // Between the jobs, ten minutes of fifteen.
    expect(tenths.filter((tenth) => tenth > 5 && tenth < 9)).toEqual([]);

    await page.getByRole("img", { name: /^Queue:/ }).hover();
    await until("each chart shows the values of that time", async () => {
      const shown = await page.locator(".hovered").allTextContents();
      const times = new Set(shown.map((text) => /^\w+ \d+ \d\d:\d\d/.exec(text)?.[0]));
      return shown.length === 4 && times.size === 1 && !times.has(undefined);
    });

    for (const period of ["15 min", "1 h", "24 h", "7 days"]) {
      await page.getByRole("button", { name: period, exact: true }).click();
      const labels = await until(`${period} is drawn`, async () => {
        const texts = await page.evaluate<string[][]>(
          "[...window.texts].filter(([canvas]) => canvas.isConnected).map(([, texts]) => texts)",
        );
        const isDrawn = texts.length === 4 && texts.every((one) => one.length > 3);
        // The releases are read after the figures.
        return isDrawn && texts.flat().includes("version 1") && texts;
      });
      for (const one of labels) expect(one).toEqual([...new Set(one)]);
    }
    expect(faults).toEqual([]);
    await context.close();
  });

  test("only jobs that ended are opened: by a click, by keys, and by a second tap", async () => {
    const endpoint = await server.endpoint({ name: "opened" });
    const worker = await server.worker(endpoint);
    const id = await server.run(endpoint);
    await worker.take();
    await worker.done(id, { output: 1 });
    const { page, context, faults } = await openConsole(browser, server, { hasTouch: true });
    const ended = page.getByRole("img", { name: /^Ended per minute: at most [1-9]/ });
    const link = page.getByRole("link", { name: /^Show jobs of/ });
    const charts = `${server.url}/console#/endpoints/${endpoint}`;
    const go = async (): Promise<void> => {
      await page.goto(charts);
      await ended.waitFor();
    };
    const opened = () =>
      until("the jobs are open", () => {
        const { searchParams } = new URL(page.url().replace("#", ""));
        const [from, to] = ["from", "to"].map((name) => Date.parse(searchParams.get(name) ?? ""));
        return Promise.resolve(page.url().includes("/jobs?") && [from, to]);
      });
    await go();
    const over = ended.locator(".u-over");
    const { width = 0, height = 0 } = (await over.boundingBox()) ?? {};
    // The newest slot, in which the job ended. The time stands still.
    const position = { x: width - 2, y: height / 2 };
    for (const other of [/^Queue/, /^Delay/, /^Execution/]) {
      await page.getByRole("img", { name: other }).locator(".u-over").click({ position });
    }
    expect(page.url()).toBe(charts);
    await over.click({ position });
    const slot = await opened();

    await go();
    await over.tap({ position });
    await page.getByRole("link", { name: /^Show jobs of .*completed [1-9]/ }).waitFor();
    expect(page.url()).toBe(charts);
    await link.tap();
    expect(await opened()).toEqual(slot);

    await go();
    await link.focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowRight");
    await page.getByRole("link", { name: /^Show jobs of .*completed [1-9]/ }).waitFor();
    await page.keyboard.press("Enter");
    expect(await opened()).toEqual(slot);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("a click on a chart opens the jobs of that slot; on failures those that failed", async () => {
    const { page, context, faults } = await openConsole(browser, server);
    const endpoint = await server.endpoint({ name: "clicked" });
    const worker = await server.worker(endpoint);
    for (const result of [{ error: "burst" }, { error: "burst" }, { output: 1 }]) {
      const job = await server.run(endpoint);
      await worker.take();
      await worker.done(job, result);
    }
    const over = page.getByRole("img", { name: /^Ended per minute/ }).locator(".u-over");
    /** Clicks the newest slot: it is that of the jobs, because the clock stands still. */
    const open = async (part: number): Promise<Record<string, string>> => {
      await goToPlace(page, `endpoints/${endpoint}`, "Ended per minute");
      await page.getByRole("img", { name: /^Ended per minute: at most [1-9]/ }).waitFor();
      const { width = 0, height = 0 } = (await over.boundingBox()) ?? {};
      await over.click({ position: { x: width - 2, y: height * part } });
      await page.getByText("Clear filters").waitFor();
      return Object.fromEntries(new URLSearchParams(page.url().split("?")[1]));
    };
    // The largest value is drawn at ten elevenths of the height.
    const failed = await open(1 / 11);
    expect(failed).toEqual({ from: expect.any(String), to: expect.any(String), state: "FAILED,TIMED_OUT" });
    expect(Date.parse(failed["from"] ?? "")).toBeLessThanOrEqual(clock.now());
    expect(Date.parse(failed["to"] ?? "")).toBeGreaterThan(clock.now());
    expect(await open(1 / 4)).toEqual({ from: expect.any(String), to: expect.any(String) });
    expect(faults).toEqual([]);
    await context.close();
  });
});
