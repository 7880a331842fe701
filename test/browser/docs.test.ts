import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import axe from "axe-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { startBrowser } from "../support/browser.ts";
import { OpenApiChecks } from "../support/openapi-checks.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

const WIDE = { width: 1_280, height: 900 };
const PHONE = { width: 390, height: 844 };

describe("the API page, in Chromium", () => {
  let server: TestServer;
  let browser: Browser;
  let endpoint: string;
  beforeAll(async () => {
    [server, browser] = await Promise.all([TestServer.start(), startBrowser()]);
    endpoint = await server.endpoint();
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  /** The page, and what went wrong in it, refusals of its own policy among that. */
  async function open(
    hash = "",
    options: Parameters<Browser["newContext"]>[0] = { viewport: WIDE },
  ): Promise<{ page: Page; context: BrowserContext; faults: string[] }> {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const faults: string[] = [];
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) faults.push(message.text());
    });
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("request", (request) => {
      const isOurs = request.url().startsWith(server.url) || request.url().startsWith("data:");
      if (!isOurs) faults.push(`asked ${request.url()}`);
    });
    await page.goto(`${server.url}/docs${hash}`);
    await page.waitForSelector("#state", { state: "detached" });
    return { page, context, faults };
  }

  test("it shows every operation of the document, by tag, with nothing from elsewhere", async () => {
    const { page, context, faults } = await open();
    const shown = await page.locator("details.operation").evaluateAll((all) => all.map(({ id }) => id));
    const documented = new OpenApiChecks("spec").operations.map(({ operationId }) => operationId);
    expect(shown.toSorted()).toEqual(documented.toSorted());
    expect(await page.locator("nav a").count()).toBe(documented.length);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("its policy lets no other script run, and the page keeps to it", async () => {
    const { page, context, faults } = await open();
    const answer = await fetch(`${server.url}/docs`);
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'self'");
    // A script that is put into the page is refused, which shows that a violation would be seen.
    await page.evaluate(
      "document.body.append(Object.assign(document.createElement('script'), { text: 'x=1' }))",
    );
    await until("the refusal is told", () => faults.join().includes("Content Security Policy"));
    expect(await page.evaluate("typeof x")).toBe("undefined");
    await context.close();
  });

  test("an operation is tried against the server, with a key that stays in the page", async () => {
    const { page, context, faults } = await open("#run");
    const operation = page.locator("#run");
    await page.fill("#key", TEST_KEY);
    await operation.locator("input[name=endpoint]").fill(endpoint);
    await operation.locator("textarea").fill('{"input": {"big": 12345678901234567890}}');
    expect(await operation.locator("pre").last().textContent()).toContain("Bearer $FOREBAY_KEY");
    await operation.locator("button.send").click();
    await operation.locator(".outcome .status").waitFor();
    expect(await operation.locator(".outcome .status").textContent()).toBe("200");
    const { id } = JSON.parse((await operation.locator(".outcome pre.body").textContent()) ?? "");
    const input = await server.get(`/v1/endpoints/${endpoint}/jobs/${id}/input`);
    expect(input.text).toBe('{"big": 12345678901234567890}');
    const kept = await page.evaluate(
      "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])",
    );
    expect(kept).toBe('[{},{},""]');
    expect(await page.content()).not.toContain(TEST_KEY);
    await page.reload();
    expect(await page.inputValue("#key")).toBe("");
    expect(faults).toEqual([]);
    await context.close();
  });

  test("the curl line that it shows does the same", async () => {
    const { page, context } = await open("#createEndpoint");
    const operation = page.locator("#createEndpoint");
    await operation.locator("textarea").fill(`{"name": "it's"}`);
    const line = (await operation.locator("pre[aria-label^='The call']").textContent()) ?? "";
    const child = Bun.spawn(["bash", "-c", line], { env: { ...process.env, FOREBAY_KEY: TEST_KEY } });
    expect(JSON.parse(await new Response(child.stdout).text())).toMatchObject({
      name: "it's",
      workersMin: 0,
    });
    await context.close();
  });

  test("an error is shown with its code, and one without an answer too", async () => {
    const { page, context } = await open("#health");
    const operation = page.locator("#health");
    await operation.locator("input[name=endpoint]").fill("absent");
    await operation.locator("button.send").click();
    await operation.locator(".outcome .bad").waitFor();
    expect(await operation.locator(".outcome .body").textContent()).toContain("KEY_UNKNOWN");
    await page.route("**/health", (route) => route.abort());
    await operation.locator("button.send").click();
    await operation.getByText("No answer").waitFor();
    await context.close();
  });

  test("it is used with the keyboard alone: from the list to an operation, and to its answer", async () => {
    const { page, context, faults } = await open();
    const press = (key: string): Promise<void> => page.keyboard.press(key);
    const focused = (): Promise<string> =>
      page.evaluate(
        "document.activeElement.name || document.activeElement.id || document.activeElement.textContent",
      );
    await press("Tab");
    expect(await focused()).toBe("Skip to the operations");
    await press("Tab");
    await page.keyboard.type(TEST_KEY);
    await press("Tab");
    await page.keyboard.type("count jobs");
    await press("Tab");
    expect(await focused()).toBe("GETCount jobs and workers");
    await press("Enter");
    await page.waitForSelector("#health[open] .try");
    for (let tabs = 0; tabs < 40 && (await focused()) !== "endpoint"; tabs++) await press("Tab");
    await page.keyboard.type(endpoint);
    await press("Enter");
    await page.waitForSelector("#health .outcome .status");
    expect(await page.locator("#health .outcome .status").textContent()).toBe("200");
    expect(faults).toEqual([]);
    await context.close();
  });

  test.each([
    ["light", WIDE],
    ["dark", WIDE],
    ["light", PHONE],
    ["dark", PHONE],
  ] as const)(
    "in %s on %p it has no fault that axe knows, and nothing sticks out",
    async (colorScheme, viewport) => {
      const { page, context } = await open("#run", { colorScheme, viewport, bypassCSP: true });
      await page.waitForSelector("#run[open] .try");
      await page.locator("#run .answer summary").first().click();
      await page.evaluate(axe.source);
      const found = await page.evaluate(AXE_RUN);
      expect(found).toEqual([]);
      const [inside = 0, outside = 0] = await page.evaluate<number[]>(
        "[document.documentElement.scrollWidth, innerWidth]",
      );
      expect(inside).toBeLessThanOrEqual(outside);
      await context.close();
    },
  );
});

/** Its violations, as they stand in the failure. */
const AXE_RUN = `axe.run().then(({ violations }) =>
  violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map((one) => one.html) })))`;
