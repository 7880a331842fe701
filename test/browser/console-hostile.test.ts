import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { startBrowser } from "../support/browser.ts";
import { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";
import { until } from "../support/until.ts";
import { goToPlace, openConsole } from "./console-world.ts";
import { HOSTILE_PAYLOADS } from "./hostile-payloads.ts";

/** What is large is folded: opens all of it, page by page, each when the one before is drawn. */
const UNFOLD = `(async () => {
  const drawn = () => new Promise(requestAnimationFrame);
  const isFolded = (button) =>
    button.getAttribute("aria-expanded") === "false" || button.textContent === "Show 100 more";
  for (;;) {
    await drawn();
    await drawn();
    if (document.querySelector(".tree li.soft") !== null) continue;
    const folded = [...document.querySelectorAll(".tree button")].find(isFolded);
    if (folded === undefined) return;
    folded.click();
  }
})()`;

describe("S19: 120 hostile payloads at the console, in Chromium (threats T7 and T19)", () => {
  let server: TestServer;
  let browser: Browser;
  let endpoint: string;
  let worker: TestWorker;
  beforeAll(async () => {
    [server, browser] = await Promise.all([TestServer.start(), startBrowser()]);
    endpoint = await server.endpoint({ name: "hostile" });
    worker = await server.worker(endpoint);
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  async function job(input: unknown, result: unknown): Promise<string> {
    const id = await server.run(endpoint, input);
    await worker.take();
    await worker.done(id, result);
    return id;
  }

  /** Nothing ran, nothing was put into the page, and the page still answers. */
  async function expectUnhurt(page: Page): Promise<void> {
    const seen = await page.evaluate(`[
      window.hurt === undefined,
      document.querySelectorAll("main :is(script, iframe, img, object, style)").length,
      [...document.querySelectorAll("main a")].filter(({ protocol }) => !/^https?:$/.test(protocol)).length,
    ]`);
    expect(seen).toEqual([true, 0, 0]);
  }

  test("there are 120 at least", () => expect(new Set(HOSTILE_PAYLOADS).size).toBeGreaterThanOrEqual(120));

  test("as output, with names and values, as input, and as chunks: each is shown as it is", async () => {
    const { page, context, faults } = await openConsole(browser, server);
    const all = Object.fromEntries(HOSTILE_PAYLOADS.map((text, index) => [`${index} ${text}`, text]));
    const id = await server.run(endpoint, all);
    await worker.take();
    for (const text of HOSTILE_PAYLOADS) await worker.stream(id, { output: text });
    await worker.done(id, { output: { list: HOSTILE_PAYLOADS, all } });
    await goToPlace(page, `endpoints/${endpoint}/jobs/${id}`, "Output");
    await page.getByText(`${HOSTILE_PAYLOADS.length} chunks`, { exact: true }).waitFor();
    await page.evaluate(UNFOLD);
    const texts = await page.locator(".tree .text").allTextContents();
    const unseen = HOSTILE_PAYLOADS.filter((text) => text.length < 400 && !texts.includes(text));
    expect(unseen).toEqual([]);
    await expectUnhurt(page);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("as error: each is shown as it is", async () => {
    const { page, context, faults } = await openConsole(browser, server);
    for (const text of HOSTILE_PAYLOADS) {
      const id = await job({}, { error: text });
      await goToPlace(page, `endpoints/${endpoint}/jobs/${id}`, "Error");
      await page.locator(".failure").waitFor();
      expect(await page.locator(".failure").textContent()).toBe(text);
    }
    await expectUnhurt(page);
    expect(faults).toEqual([]);
    await context.close();
  }, 180_000);

  test("as error, input, tag and endpoint in the list of jobs and the search: they are text", async () => {
    const { page, context, faults } = await openConsole(browser, server);
    const listed = await server.endpoint({ name: "<img src=x onerror=window.hurt=1>" });
    const other = await server.worker(listed);
    // A tag has no spaces, and at most 64 characters.
    const isTag = (text: string): boolean => /^[\x21-\x7e]{1,64}$/.test(text);
    for (const text of HOSTILE_PAYLOADS) {
      const tags = isTag(text) ? [text] : [];
      const id = await server.run(listed, { [text]: text }, { policy: { tags } });
      await other.take();
      await other.done(id, { error: text });
      const answered = await server.run(listed, { text });
      await other.take();
      await other.done(answered, { output: 1 });
    }
    await until("the history has them all", async () => {
      const { json } = await server.get(`/v1/jobs?endpoint=${listed}&state=COMPLETED&limit=1000`);
      return json.jobs.length === HOSTILE_PAYLOADS.length;
    });
    await goToPlace(page, `jobs?state=COMPLETED&endpoint=${listed}`, "jobs");
    // The first ones are the last payloads, each as the beginning of an input.
    const previews = page.locator(".job-list tbody td code");
    await previews.nth(49).waitFor();
    const last = HOSTILE_PAYLOADS.at(-1);
    expect(await previews.first().textContent()).toBe(JSON.stringify({ text: last }));
    await expectUnhurt(page);
    await goToPlace(page, `jobs?state=FAILED&endpoint=${listed}`, "jobs");
    await page.getByRole("button", { name: "Load more" }).click();
    const rows = page.locator(".job-list tbody tr");
    await rows.nth(99).waitFor();
    await page.getByRole("button", { name: "Load more" }).click();
    await rows.nth(HOSTILE_PAYLOADS.length - 1).waitFor();
    const shown = new Set(await page.locator(".failed-with").allTextContents());
    const lines = HOSTILE_PAYLOADS.map((text) => text.trimStart().split("\n")[0]?.slice(0, 300) ?? "");
    expect(lines.filter((line) => !shown.has(line))).toEqual([]);
    const tags = new Set(await page.locator(".tag").allTextContents());
    expect(HOSTILE_PAYLOADS.filter((text) => isTag(text) && !tags.has(text))).toEqual([]);
    await expectUnhurt(page);
    for (const text of HOSTILE_PAYLOADS.filter((one) => one.length < 200)) {
      await page.getByRole("combobox", { name: /^Search/ }).fill(text);
      await page.getByRole("option").first().waitFor();
      await expectUnhurt(page);
      await goToPlace(page, `jobs?tag=${encodeURIComponent(text)}&error=${encodeURIComponent(text)}`, "Jobs");
    }
    await expectUnhurt(page);
    expect(faults).toEqual([]);
    await context.close();
  }, 180_000);

  test("as type, message and traceback of an exception: each is shown as it is", async () => {
    const { page, context, faults } = await openConsole(browser, server);
    // Longer ones are shown piece by piece.
    const short = HOSTILE_PAYLOADS.filter((text) => text.length < 400);
    const error_traceback = short.map((text) => `  File "/app/${text}", line 1, in f`).join("\n");
    const error = { error_type: short.slice(0, 20).join(" "), error_message: short.join("\n") };
    const id = await job({}, { error: JSON.stringify({ ...error, error_traceback }) });
    await goToPlace(page, `endpoints/${endpoint}/jobs/${id}`, "Error");
    expect(await page.locator(".failure-type").textContent()).toBe(error.error_type);
    expect(await page.locator(".failure").textContent()).toBe(error.error_message);
    await page.getByRole("button", { name: /^Show more of .* lines$/ }).click();
    const shown = await page.locator(".traceback > span").allTextContents();
    expect(shown.join("")).toBe(`${error_traceback}\n`);
    await expectUnhurt(page);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("as readme, name of a template, variable and name of an endpoint: they are text", async () => {
    const { page, context, faults } = await openConsole(browser, server);
    const readme = HOSTILE_PAYLOADS.join("\n\n");
    for (const [index, text] of HOSTILE_PAYLOADS.entries()) {
      const name = `${index} ${text.replace(/[\0]/g, "")}`.slice(0, 180);
      const template = { name, imageName: "a/b", readme: text, env: { VALUE: text } };
      const made = await server.post("/v1/templates", template);
      expect([text, made.status]).toEqual([text, 200]);
      await server.post("/v1/endpoints", { name, templateId: made.json.id });
      if (index > 0) continue;
      await server.call("PATCH", `/v1/templates/${made.json.id}`, { readme });
      await goToPlace(page, `templates/${made.json.id}`, "Search by name");
      await page.locator(".markdown").waitFor();
      await expectUnhurt(page);
      await goToPlace(page, `templates/${made.json.id}/edit`, "Entrypoint");
      await expectUnhurt(page);
    }
    const { json: templates } = await server.get("/v1/templates");
    for (const { id } of templates) {
      await goToPlace(page, `templates/${id}`, "Search by name");
      await page.locator(".markdown").waitFor();
      await expectUnhurt(page);
    }
    await goToPlace(page, "", "New endpoint");
    await page
      .locator("tbody tr")
      .nth(HOSTILE_PAYLOADS.length - 1)
      .waitFor();
    await expectUnhurt(page);
    await goToPlace(page, `endpoints/new`, "Create endpoint");
    await expectUnhurt(page);
    expect(faults).toEqual([]);
    await context.close();
  }, 180_000);

  test("as lines of a log: they are text", async () => {
    const { page, context, faults } = await openConsole(browser, server);
    const records = HOSTILE_PAYLOADS.map((text) =>
      JSON.stringify({ level: text, message: text, [text]: text }),
    );
    const lines = [...HOSTILE_PAYLOADS, ...records]
      .map((line) => JSON.stringify({ time: "2026-01-31T12:00:00.000Z", stream: "stdout", line }))
      .join("\n");
    const id = await job({}, { output: 1 });
    // What a worker printed is answered by the server that started it; here the answer itself is hostile.
    await page.route("**/logs*", (route) =>
      route.fulfill({ status: 200, contentType: "application/x-ndjson", body: `${lines}\n` }),
    );
    await goToPlace(page, `endpoints/${endpoint}/jobs/${id}`, "Logs");
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await page
      .locator(".log div")
      .nth(2 * HOSTILE_PAYLOADS.length - 1)
      .waitFor();
    await expectUnhurt(page);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("an output of 20 MB is shown, and the page answers meanwhile within a second", async () => {
    const rows = Array.from({ length: 100_000 }, (_, index) => ({ index, text: "x".repeat(180) }));
    const output = JSON.stringify({ output: { rows, last: "the end" } });
    expect(output.length).toBeGreaterThan(20_000_000);
    const id = await job({}, output);
    const { page, context, faults } = await openConsole(browser, server);
    await page.evaluate(`{
      let before = performance.now();
      window.longest = 0;
      setInterval(() => {
        const now = performance.now();
        window.longest = Math.max(window.longest, now - before);
        before = now;
      }, 5);
    }`);
    await goToPlace(page, `endpoints/${endpoint}/jobs/${id}`, "the end");
    await page.locator(".tree button", { hasText: "MB" }).nth(1).click();
    await page.getByText("Show 100 more").click();
    await page.locator(".tree li").nth(200).waitFor();
    expect(await page.evaluate<number>("window.longest")).toBeLessThan(1_000);
    expect(faults).toEqual([]);
    await context.close();
  });
});
