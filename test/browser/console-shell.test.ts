import { describe, expect, test } from "bun:test";
import { goToPlace, PHONE } from "./console-world.ts";
import { personAtConsole } from "./person-at-console.ts";

/** Presses a key at once: the keyboard of a page waits for the page. */
const PRESS =
  "const press = (key) => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))";

describe("the shell of the console, in Chromium", () => {
  const person = personAtConsole();

  test.each(["nowhere", "endpoints/e/nothing", "endpoints/e/workers/w", "keys/k", "templates/t/else"])(
    "%s is no page, and the console says so",
    async (place) => {
      const { page, follow } = person;
      await goToPlace(page, place, "There is no page at this address");
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("No such page");
      await follow("Go to endpoints");
      await page.getByText("There is no page").waitFor({ state: "detached" });
    },
  );

  test("a phone shows every link of the navigation at once", async () => {
    const { page } = person;
    await page.setViewportSize(PHONE);
    const links = page.getByRole("navigation", { name: "Console" }).getByRole("link");
    expect(await links.allTextContents()).toEqual([
      "Endpoints",
      "Jobs",
      "Run a request",
      "Templates",
      "Keys",
      "Hosts",
      "Accounts",
      "API",
    ]);
    for (const link of await links.all()) {
      const { x = -1, y = -1, width = 0 } = (await link.boundingBox()) ?? {};
      expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
      expect(x + width).toBeLessThanOrEqual(PHONE.width);
    }
  });

  test("keys lead to search, endpoints, jobs and the list of keys, but not while typing", async () => {
    const { page, server, press, shown } = person;
    const endpoint = await server.endpoint({ name: "reached" });
    await server.post("/v1/templates", { name: "found", imageName: "process/hello" });
    await goToPlace(page, `endpoints/${endpoint}`, "Over time");
    await page.keyboard.type("gj");
    await shown("No jobs yet");
    await page.keyboard.type("ge");
    await page.getByRole("heading", { name: /^(Endpoints|Your first job)$/, level: 1 }).waitFor();
    await page.keyboard.type("gj");
    await page.getByRole("heading", { name: "Jobs", level: 1 }).waitFor();
    await goToPlace(page, "templates", "Search by name");
    await page.keyboard.press("/");
    await page.keyboard.type("ge?");
    expect(await page.getByRole("combobox", { name: "Search jobs" }).inputValue()).toBe("ge?");
    await page.getByRole("heading", { name: "Templates", level: 1 }).click();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await page.getByLabel("Use them in this browser").uncheck();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.type("ge?");
    expect(await page.getByRole("dialog").count()).toBe(0);
    await press("Keyboard shortcuts");
    await page.getByLabel("Use them in this browser").check();
    await press("Close");
    await page.keyboard.type("ge");
    await page.getByRole("heading", { name: /^(Endpoints|Your first job)$/, level: 1 }).waitFor();
  });

  test("keys pressed faster than pages are drawn go where they lead one after the other", async () => {
    const { page, server } = person;
    const endpoint = await server.endpoint({ name: "faster" });
    await goToPlace(page, `endpoints/${endpoint}`, "Over time");
    await page.evaluate(`${PRESS}; for (const key of ["g", "e", "g", "j"]) press(key)`);
    await page.getByRole("heading", { name: "Jobs", level: 1 }).waitFor();
    expect(new URL(page.url()).hash).toBe("#/jobs");
    // The second of two keys after the page of an endpoint is drawn.
    const address = JSON.stringify(`#/endpoints/${endpoint}`);
    await page.evaluate(`${PRESS}; press("g"); location.hash = ${address};
      requestAnimationFrame(() => setTimeout(() => press("j"), 100))`);
    await page.waitForURL((url) => url.hash === `#/endpoints/${endpoint}/jobs`);
  });

  test("a list of one row is as high as that row", async () => {
    const { page } = person;
    await goToPlace(page, "accounts", "default");
    const heightOf = async (selector: string): Promise<number> =>
      (await page.locator(selector).first().boundingBox())?.height ?? 0;
    expect((await heightOf(".kept")) - (await heightOf("table"))).toBeLessThanOrEqual(4);
  });
});
