import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { startBrowser } from "../support/browser.ts";
import { TestServer } from "../support/test-server.ts";
import { LOOPBACK_ALLOWED, WebhookReceiver } from "../support/webhook-receiver.ts";
import { GPU_PLACES, type Place, PLACES } from "./console-places.ts";
import { type ConsoleWorld, consoleWorld, openConsole, PHONE, WIDE } from "./console-world.ts";
import { gpuWorld } from "./gpu-world.ts";
import { countOpen, type LayoutShift, shiftsOf, watchLayoutShifts } from "./layout-shifts.ts";

/** All shifts of a page together, of which 0.1 is called good (web.dev/articles/cls). */
const MOST = 0.02;

/** Those pages of which more has moved, and what. */
function tooMuch(name: string, shifts: readonly LayoutShift[]): object[] {
  const sum = shifts.reduce((total, { value }) => total + value, 0);
  return sum <= MOST ? [] : [{ name, sum, shifts }];
}

describe("what moves on the pages of the console by itself, in Chromium", () => {
  let world: ConsoleWorld;
  let live: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    [world, live, browser] = await Promise.all([
      consoleWorld(),
      TestServer.start({ flags: LOOPBACK_ALLOWED }),
      startBrowser(),
    ]);
  });
  afterAll(async () => {
    await browser.close();
    await world.server.stop();
    await live.stop();
  });

  test.each([
    ["wide", WIDE],
    ["phone", PHONE],
  ] as const)("nothing as pages load, on a %s screen", async (_, viewport) => {
    expect(await shiftsIn(world, PLACES, viewport)).toEqual([]);
    await using gpus = await gpuWorld();
    expect(await shiftsIn(gpus, GPU_PLACES, viewport)).toEqual([]);
  });

  async function shiftsIn<World extends { readonly server: TestServer }>(
    of: World,
    places: readonly Place<World>[],
    viewport: typeof WIDE,
  ): Promise<object[]> {
    const { page: first, context } = await openConsole(browser, of.server, { viewport });
    await first.close();
    await watchLayoutShifts(context);
    const found: object[] = [];
    for (const { name, path, shown, act } of places) {
      if (act !== undefined) continue;
      const page = await context.newPage();
      const open = countOpen(page);
      await page.goto(`${of.server.url}/console#/${path(of)}`);
      await page.getByText(shown).first().waitFor();
      found.push(...tooMuch(name, await shiftsOf(page, open)));
      await page.close();
    }
    await context.close();
    return found;
  }

  test("no more than by a row that comes, as live data comes in", async () => {
    const endpoint = await live.endpoint({ name: "lively" });
    const worker = await live.worker(endpoint);
    await using receiver = await WebhookReceiver.start();
    const webhook = receiver.url();
    const run = (): Promise<string> => live.run(endpoint, {}, { webhook });
    const ended = async (job: string): Promise<void> => {
      await worker.take();
      await worker.done(job, { output: { text: "…" } });
    };
    for (let index = 0; index < 2; index++) await ended(await run());
    const { page: first, context } = await openConsole(browser, live);
    await first.close();
    await watchLayoutShifts(context);
    const found: object[] = [];

    async function watch(path: string, shown: string, change: (page: Page) => Promise<void>): Promise<void> {
      const page = await context.newPage();
      const open = countOpen(page);
      await page.goto(`${live.url}/console#/${path}`);
      await page.getByText(shown).first().waitFor();
      await change(page);
      found.push(...tooMuch(path, await shiftsOf(page, open)));
      await page.close();
    }

    await watch("", "lively", async (page) => {
      const job = await run();
      await page.getByText(/^oldest/).waitFor();
      await ended(job);
      await page.getByText(/^oldest/).waitFor({ state: "detached" });
    });
    await watch(`endpoints/${endpoint}`, "Ended per minute", async (page) => {
      const job = await run();
      await page.getByRole("img", { name: /^Queue: 1 jobs wait and 0 run/ }).waitFor();
      await ended(job);
      await page.getByRole("img", { name: /^Queue: 0 jobs wait and 0 run/ }).waitFor();
    });
    const waiting = await run();
    await watch(`endpoints/${endpoint}/jobs`, "in queue", async (page) => {
      const row = page.getByRole("row").filter({ has: page.getByRole("link", { name: waiting }) });
      await row.getByText("in queue").waitFor();
      await ended(waiting);
      await row.getByText("completed").waitFor();
      await ended(await run());
      await page.getByRole("button", { name: "1 new job, show" }).waitFor();
    });
    await watch(`endpoints/${endpoint}/webhooks`, "Last answer", async (page) => {
      const job = await run();
      await ended(job);
      await page.getByRole("link", { name: job }).waitFor();
    });
    const job = await run();
    await watch(`endpoints/${endpoint}/jobs/${job}`, "in queue", async (page) => {
      await worker.take();
      await page.getByText("in progress").first().waitFor();
      await worker.stream(job, { output: "one " });
      await page.getByText("one").first().waitFor();
      await worker.done(job, { output: { text: "one" } });
      await page.getByText("completed").first().waitFor();
    });
    const failing = await run();
    await watch(`endpoints/${endpoint}/jobs/${failing}`, "in queue", async (page) => {
      await worker.take();
      await page.getByText("in progress").first().waitFor();
      await worker.done(failing, { error: 'Traceback:\n  File "/app/a.py", line 1\nValueError: no paint' });
      await page.getByText("no paint").first().waitFor();
    });
    expect(found).toEqual([]);
    await context.close();
  });
});
