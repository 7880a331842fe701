import { describe, expect, test } from "bun:test";
import { TEST_KEY } from "../support/test-client.ts";
import { until } from "../support/until.ts";
import { goToPlace, openConsole, signIn } from "./console-world.ts";
import { personAtConsole } from "./person-at-console.ts";

describe("the console in use, in Chromium", () => {
  const person = personAtConsole();

  test("is signed out when the key is revoked", async () => {
    const { browser, server } = person;
    const { json } = await server.post("/v1/keys", { name: "leaving", scopes: ["manage"] });
    const other = await openConsole(browser, server, { key: json.key });
    const endpoint = await server.endpoint({ name: "left" });
    await goToPlace(other.page, `endpoints/${endpoint}/jobs`, "No jobs yet");
    await server.call("DELETE", `/v1/keys/${json.id}`);
    await other.page.getByText("Your session has ended, or its key was revoked.").waitFor();
    expect(other.faults).toEqual([]);
    await other.context.close();
  });

  test("signs out of a browser, and of another one that has a copy of the cookie", async () => {
    const { browser, server } = person;
    const { json } = await server.post("/v1/keys", { name: "copied", scopes: ["manage"] });
    const own = await openConsole(browser, server, { key: json.key });
    const copy = await browser.newContext({ storageState: await own.context.storageState() });
    const page = await copy.newPage();
    await page.goto(`${server.url}/console`);
    await page.getByRole("navigation", { name: "Console" }).waitFor();

    await own.page.getByRole("button", { name: "Sign out" }).click();
    await own.page.getByText("You are signed out.").waitFor();
    await page.getByRole("link", { name: "Templates" }).click();
    await page.getByText("Your session has ended, or its key was revoked.").waitFor();
    await page.goto(`${server.url}/console`);
    await page.getByLabel("API key").waitFor();
    expect(own.faults).toEqual([]);
    await own.context.close();
    await copy.close();
  });

  test("follows an address that changes while the page is drawn for the first time", async () => {
    const { browser, server } = person;
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${server.url}/console`);
    await page.evaluate(`new MutationObserver((_, observer) => {
      if (document.querySelector("nav") === null) return;
      observer.disconnect();
      location.hash = "#/templates";
    }).observe(document.body, { childList: true, subtree: true })`);
    await signIn(page, TEST_KEY);
    await page.getByRole("heading", { name: "Templates", level: 1 }).waitFor();
    await context.close();
  });

  test("sees only what a key opens that is bound to one endpoint", async () => {
    const { browser, server } = person;
    const endpoint = await server.endpoint({ name: "bound" });
    await server.endpoint({ name: "out-of-reach" });
    const { json } = await server.post("/v1/keys", { name: "seer", scopes: ["read"], endpoints: [endpoint] });
    const other = await openConsole(browser, server, { key: json.key });
    await other.page.getByRole("link", { name: "bound" }).click();
    await other.page.getByText("Ended per minute").waitFor();
    expect(await other.page.getByRole("button", { name: "Purge" }).count()).toBe(0);
    expect(await other.page.getByRole("link", { name: "Keys" }).count()).toBe(0);
    expect(await other.page.content()).not.toContain("out-of-reach");
    expect(other.faults).toEqual([]);
    await other.context.close();
  });

  test("sees figures move by themselves", async () => {
    const { page, server, press } = person;
    const endpoint = await server.endpoint({ name: "moving" });
    const worker = await server.worker(endpoint);
    await goToPlace(page, "", "moving");
    const row = page.getByRole("row").filter({ has: page.getByRole("link", { name: "moving" }) });
    const job = await server.run(endpoint);
    await row.getByText(/^oldest/).waitFor();
    await page.getByRole("link", { name: "moving" }).click();
    await page.getByRole("img", { name: /^Queue: 1 jobs wait and 0 run/ }).waitFor();
    await worker.take();
    await worker.done(job, { output: 1 });
    await page.getByRole("img", { name: /^Queue: 0 jobs wait and 0 run/ }).waitFor();
    await page.getByRole("img", { name: /^Execution: half within/ }).waitFor();
    await press("7 days");
    await page.getByRole("img", { name: /^Queue: 0 jobs wait/ }).waitFor();
  });

  test("uses it with the keyboard alone: to a page, into a question, and out of it", async () => {
    const { page, server } = person;
    const endpoint = await server.endpoint({ name: "keys-only" });
    const focused = (): Promise<string> =>
      page.evaluate("document.activeElement.textContent || document.activeElement.id");
    const tabTo = async (name: string): Promise<void> => {
      for (let tabs = 0; tabs < 60 && (await focused()) !== name; tabs++) await page.keyboard.press("Tab");
      expect(await focused()).toBe(name);
    };
    await goToPlace(page, `endpoints/${endpoint}/jobs`, "No jobs yet");
    await tabTo("Keys");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Keys" }).waitFor();
    await until("the heading has the focus", () => page.evaluate("document.activeElement.tagName === 'H1'"));
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("New key");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "New key" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await until("the focus is back", async () => (await focused()) === "New key");
  });

  test("chooses its colours, which stay", async () => {
    const { page } = person;
    const dark = (): Promise<string> =>
      page.evaluate(
        "document.documentElement.dataset.theme + getComputedStyle(document.body).backgroundColor",
      );
    await page.getByLabel("Colours").selectOption("dark");
    const chosen = await dark();
    expect(chosen).toBe("darkrgb(14, 20, 23)");
    await page.reload();
    await page.getByRole("navigation", { name: "Console" }).waitFor();
    expect(await dark()).toBe(chosen);
  });
});
