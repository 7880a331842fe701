import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { startBrowser } from "../support/browser.ts";
import { TestServer } from "../support/test-server.ts";
import { GPU_PLACES, PLACES } from "./console-places.ts";
import { type GpuWorld, gpuWorld } from "./gpu-world.ts";
import { type ConsoleWorld, consoleWorld, goToPlace, openConsole, PHONE, WIDE } from "./console-world.ts";

/** `SCREENSHOTS=true` writes those of the documents anew. */
const KEEPS_SCREENSHOTS = process.env["SCREENSHOTS"] === "true";
const IMAGES = join(import.meta.dir, "../../docs/images");

const LOOKS = [
  { look: "light", colorScheme: "light", viewport: WIDE },
  { look: "dark", colorScheme: "dark", viewport: WIDE },
  { look: "phone", colorScheme: "light", viewport: PHONE },
] as const;

describe("the pages of the console, in Chromium", () => {
  let world: ConsoleWorld;
  /** A server on which nothing has happened yet. */
  let untouched: TestServer;
  let gpus: GpuWorld;
  let browser: Browser;
  beforeAll(async () => {
    const demo = TestServer.start({ flags: { demo: "true" } });
    [world, untouched, browser] = await Promise.all([consoleWorld(), demo, startBrowser()]);
    gpus = await gpuWorld();
  });
  afterAll(async () => {
    await browser.close();
    await world.server.stop();
    await untouched.stop();
    await gpus[Symbol.asyncDispose]();
  });

  test.each(LOOKS)(
    "in $look none has a fault that axe knows, and nothing sticks out",
    async ({ look, colorScheme, viewport }) => {
      const options = { colorScheme, viewport, bypassCSP: true, reducedMotion: "reduce" } as const;
      const context = await browser.newContext(options);
      const signIn = await context.newPage();
      await signIn.goto(`${world.server.url}/console`);
      await signIn.getByLabel("API key").waitFor();
      const found = [await faultsOf(signIn, `sign-in-${look}`)];
      await context.close();

      const first = await openConsole(browser, untouched, options);
      await first.page.getByText("Send it here").waitFor();
      found.push(await faultsOf(first.page, `first-run-${look}`));
      await first.context.close();

      const { page, context: signedIn } = await openConsole(browser, world.server, options);
      for (const { name, path, shown, act } of PLACES) {
        await goToPlace(page, path(world), shown);
        await act?.(page);
        found.push(await faultsOf(page, `${name}-${look}`));
      }
      await signedIn.close();

      const ofGpus = await openConsole(browser, gpus.server, options);
      for (const { name, path, shown, act } of GPU_PLACES) {
        await goToPlace(ofGpus.page, path(gpus), shown);
        await act?.(ofGpus.page);
        found.push(await faultsOf(ofGpus.page, `${name}-${look}`));
      }
      await ofGpus.context.close();
      expect(found.flat()).toEqual([]);
    },
  );
});

async function faultsOf(page: Page, name: string): Promise<unknown[]> {
  if (KEEPS_SCREENSHOTS) await page.screenshot({ path: join(IMAGES, `console-${name}.png`) });
  await page.evaluate(axe.source);
  const found = await page.evaluate<object[]>(AXE_RUN);
  const [inside = 0, outside = 0] = await page.evaluate<number[]>(
    "[document.documentElement.scrollWidth, innerWidth]",
  );
  const wide = inside > outside ? [{ name, sticksOut: inside - outside }] : [];
  return [...found.map((fault) => ({ name, fault })), ...wide];
}

/** Its violations, as they stand in the failure. */
const AXE_RUN = `axe.run().then(({ violations }) =>
  violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map((one) => one.html) })))`;
