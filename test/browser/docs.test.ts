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
    await page.locator(".opblock").first().waitFor();
    return { page, context, faults };
  }

  test("it shows every operation of the document, by tag, with nothing from elsewhere", async () => {
    const { page, context, faults } = await open();
    const shown = await page.locator(".opblock").evaluateAll((all) => all.map(({ id }) => id));
    const documented = new OpenApiChecks("spec").operations.map(
      ({ operationId, tags }) => `operations-${tags[0]}-${operationId}`,
    );
    expect(shown.toSorted()).toEqual(documented.toSorted());
    expect(faults).toEqual([]);
    await context.close();
  });

  test("its policy lets no other script run, and the page keeps to it", async () => {
    const { page, context, faults } = await open();
    const answer = await fetch(`${server.url}/docs`);
    expect(answer.headers.get("content-security-policy")).toContain(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'",
    );
    // A script that is put into the page is refused, which shows that a violation would be seen.
    await page.evaluate(
      "document.body.append(Object.assign(document.createElement('script'), { text: 'x=1' }))",
    );
    await until("the refusal is told", () => faults.join().includes("Content Security Policy"));
    expect(await page.evaluate("typeof x")).toBe("undefined");
    await context.close();
  });

  test("the script of Swagger UI is the one of the package, and is sent compressed", async () => {
    for (const [path, file, limit] of [
      ["/docs/swagger-ui.js", "swagger-ui-bundle.js", 480_000],
      ["/docs/swagger-ui.css", "swagger-ui.css", 30_000],
    ] as const) {
      const plain = { headers: { "accept-encoding": "identity" } };
      const original = await Bun.file(`node_modules/swagger-ui-dist/${file}`).text();
      expect(await (await fetch(`${server.url}${path}`, plain)).text()).toBe(original);
      const gzip = { headers: { "accept-encoding": "gzip" }, decompress: false };
      const packed = await fetch(`${server.url}${path}`, gzip);
      expect(packed.headers.get("content-encoding")).toBe("gzip");
      expect((await packed.bytes()).length).toBeLessThan(limit);
    }
  });

  /** Enters the key in the dialog, as a person does. */
  async function authorize(page: Page): Promise<void> {
    await page.locator("button.authorize").first().click();
    await page.locator(".auth-container input").first().fill(TEST_KEY);
    await page.locator(".auth-container button.authorize").first().click();
    await page.locator(".btn-done").first().click();
  }

  test("an operation is tried against the server, with a key that stays in the page", async () => {
    const { page, context, faults } = await open("#run");
    await authorize(page);
    const operation = page.locator("#operations-jobs-run");
    await operation.locator(".try-out__btn").click();
    await operation.getByPlaceholder("endpoint").fill(endpoint);
    await operation.locator("textarea").fill('{"input": {"big": 12345678901234567890}}');
    await operation.locator(".execute").click();
    const answer = operation.locator(".live-responses-table .response");
    await answer.waitFor();
    expect(await answer.locator(".response-col_status").textContent()).toBe("200");
    expect(await operation.locator("pre.curl").textContent()).toContain("Bearer $FOREBAY_KEY");
    const { id } = JSON.parse((await answer.locator(".highlight-code pre").textContent()) ?? "");
    const input = await server.get(`/v1/endpoints/${endpoint}/jobs/${id}/input`);
    expect(input.text).toBe('{"big": 12345678901234567890}');
    const kept = await page.evaluate(
      "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])",
    );
    expect(kept).toBe('[{},{},""]');
    expect(await page.content()).not.toContain(TEST_KEY);
    await page.reload();
    await page.locator("button.authorize.unlocked").first().waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test("the curl line that it shows does the same", async () => {
    const { page, context } = await open("#createEndpoint");
    await authorize(page);
    const operation = page.locator("#operations-endpoints-createEndpoint");
    await operation.locator(".try-out__btn").click();
    await operation.locator("textarea").fill(`{"name": "it's"}`);
    await page.route("**/v1/endpoints", (route) => route.abort());
    await operation.locator(".execute").click();
    const line = (await operation.locator("pre.curl").textContent()) ?? "";
    const child = Bun.spawn(["bash", "-c", line], { env: { ...process.env, FOREBAY_KEY: TEST_KEY } });
    expect(JSON.parse(await new Response(child.stdout).text())).toMatchObject({
      name: "it's",
      workersMin: 0,
    });
    await context.close();
  });

  test("an error is shown with its code, and one without an answer too", async () => {
    const { page, context } = await open("#health");
    const operation = page.locator('[id$="-health"]');
    await operation.locator(".try-out__btn").click();
    await operation.getByPlaceholder("endpoint").fill("absent");
    await operation.locator(".execute").click();
    await operation.locator(".live-responses-table").getByText("KEY_").first().waitFor();
    await page.route("**/health", (route) => route.abort());
    await operation.locator(".execute").click();
    await operation.getByText("Failed to fetch").first().waitFor();
    await context.close();
  });

  test("it is used with the keyboard alone: from the search to an operation, and to its answer", async () => {
    const { page, context, faults } = await open();
    const press = (key: string): Promise<void> => page.keyboard.press(key);
    const focused = (): Promise<string> =>
      page.evaluate(
        "((one) => one.placeholder || one.ariaLabel || one.id || one.textContent)(document.activeElement)",
      );
    const tabTo = async (name: string): Promise<void> => {
      for (let tabs = 0; tabs < 600 && !(await focused()).includes(name); tabs++) await press("Tab");
      expect(await focused()).toContain(name);
    };
    await press("Tab");
    expect(await focused()).toBe("Skip to the operations");
    await tabTo("Authorize");
    await press("Enter");
    await page.locator(".auth-container input").first().waitFor();
    await tabTo("auth-bearer-value");
    expect(await page.evaluate("document.activeElement.type")).toBe("password");
    await page.keyboard.type(TEST_KEY);
    await press("Enter");
    await page.locator(".auth-container").getByText("Authorized").first().waitFor();
    await tabTo("Close");
    await press("Enter");
    await tabTo("Filter by tag");
    await page.keyboard.type("count jobs");
    await page.locator(".opblock").nth(1).waitFor({ state: "detached" });
    await tabTo("/health");
    await press("Enter");
    await tabTo("Try it out");
    await press("Enter");
    await tabTo("endpoint");
    await page.keyboard.type(endpoint);
    await tabTo("Execute");
    await press("Enter");
    const status = page.locator(".live-responses-table .response .response-col_status");
    await status.waitFor();
    expect(await status.textContent()).toBe("200");
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
      await page.locator("#operations-jobs-run .try-out__btn").click();
      await page.locator("#operations-jobs-run .execute").waitFor();
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
