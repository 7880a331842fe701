import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { startBrowser } from "../support/browser.ts";
import { TestServer } from "../support/test-server.ts";
import { type ConsoleWorld, consoleWorld, goToPlace, openConsole, PHONE, WIDE } from "./console-world.ts";

/** `SCREENSHOTS=true` writes those of the documents anew. */
const KEEPS_SCREENSHOTS = process.env["SCREENSHOTS"] === "true";
const IMAGES = join(import.meta.dir, "../../docs/images");

interface Place {
  readonly name: string;
  readonly path: (world: ConsoleWorld) => string;
  /** A text that is there when the page is. */
  readonly shown: string;
  /** What a person does there first. */
  readonly act?: (page: Page) => Promise<void>;
}

const PLACES: readonly Place[] = [
  { name: "overview", path: () => "", shown: "thumbnails" },
  { name: "endpoint", path: ({ chat }) => `endpoints/${chat}/jobs`, shown: "completed" },
  { name: "figures", path: ({ chat }) => `endpoints/${chat}`, shown: "Ended, each minute" },
  { name: "workers", path: ({ chat }) => `endpoints/${chat}/workers`, shown: "came by itself" },
  { name: "releases", path: ({ thumbnails }) => `endpoints/${thumbnails}/releases`, shown: "rolling" },
  { name: "webhooks", path: ({ chat }) => `endpoints/${chat}/webhooks`, shown: "hooks.example.com" },
  {
    name: "webhooks-again",
    path: ({ chat }) => `endpoints/${chat}/webhooks`,
    shown: "hooks.example.com",
    async act(page) {
      await page.getByLabel("State").selectOption("PENDING");
      await page.getByRole("button", { name: "Call many again" }).click();
      await page.getByText("5 webhooks are called once more.").waitFor();
    },
  },
  { name: "settings", path: ({ chat }) => `endpoints/${chat}/settings`, shown: "Execution time-out" },
  {
    name: "limits",
    path: ({ chat }) => `endpoints/${chat}/settings`,
    shown: "Execution time-out",
    async act(page) {
      await page.evaluate("document.querySelector('.limits').scrollIntoView({ block: 'center' })");
    },
  },
  { name: "new-endpoint", path: () => "endpoints/new", shown: "Make the endpoint" },
  { name: "job", path: ({ chat, jobs }) => `endpoints/${chat}/jobs/${jobs.completed}`, shown: "scattered" },
  {
    name: "job-failed",
    path: ({ chat, jobs }) => `endpoints/${chat}/jobs/${jobs.failed}`,
    shown: "must not be",
  },
  {
    name: "job-stream",
    path: ({ chat, jobs }) => `endpoints/${chat}/jobs/${jobs.streaming}`,
    shown: "The sea",
  },
  { name: "run", path: ({ chat }) => `run/${chat}`, shown: "As a program" },
  { name: "templates", path: ({ template }) => `templates/${template}`, shown: "word by word" },
  { name: "template-form", path: ({ template }) => `templates/${template}/edit`, shown: "Entrypoint" },
  { name: "registry-logins", path: () => "templates/registry-logins", shown: "chat-small" },
  {
    name: "new-registry-login",
    path: () => "templates/registry-logins",
    shown: "chat-small",
    async act(page) {
      await page.getByRole("button", { name: "New registry login" }).click();
      await page.getByRole("dialog", { name: "New registry login" }).waitFor();
    },
  },
  { name: "keys", path: () => "keys", shown: "web shop" },
  { name: "accounts", path: () => "accounts", shown: "vision" },
];

const LOOKS = [
  { look: "light", colorScheme: "light", viewport: WIDE },
  { look: "dark", colorScheme: "dark", viewport: WIDE },
  { look: "phone", colorScheme: "light", viewport: PHONE },
] as const;

describe("the pages of the console, in Chromium", () => {
  let world: ConsoleWorld;
  /** A server on which nothing has happened yet. */
  let untouched: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    const demo = TestServer.start({ flags: { demo: "true" } });
    [world, untouched, browser] = await Promise.all([consoleWorld(), demo, startBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await world.server.stop();
    await untouched.stop();
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
      await first.page.getByText("Send it from here").waitFor();
      found.push(await faultsOf(first.page, `first-run-${look}`));
      await first.context.close();

      const { page, context: signedIn } = await openConsole(browser, world.server, options);
      for (const { name, path, shown, act } of PLACES) {
        await goToPlace(page, path(world), shown);
        await act?.(page);
        found.push(await faultsOf(page, `${name}-${look}`));
      }
      expect(found.flat()).toEqual([]);
      await signedIn.close();
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
