import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { startBrowser } from "../support/browser.ts";
import { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";
import { goToPlace, type OpenedConsole, openConsole } from "./console-world.ts";

const README_SIZE = 200_000;

/** Readmes for which the library that reads Markdown takes minutes, or calls itself too deep. */
const READMES: Readonly<Record<string, string>> = {
  quotes: ">".repeat(README_SIZE),
  "quotes in lists": "> - ".repeat(README_SIZE / 4),
  "numbered lists": "1. ".repeat(README_SIZE / 3),
  "lists, each deeper": Array.from({ length: 600 }, (_, depth) => `${" ".repeat(depth)}- a\n`).join(""),
  brackets: "[".repeat(README_SIZE),
  "open links": "[a](".repeat(README_SIZE / 4),
  emphasis: `${"*a **a ".repeat(README_SIZE / 14)}${" b** b*".repeat(README_SIZE / 14)}`,
  stars: `${"*".repeat(README_SIZE / 2)}a${"*".repeat(README_SIZE / 2)}`,
  tildes: "~~a ~b".repeat(README_SIZE / 6),
  "lines of one paragraph": "a\n".repeat(README_SIZE / 2),
  "a table": `|a|\n|-|\n${"|*a ".repeat(README_SIZE / 4)}`,
};

describe("what others wrote, at the console in Chromium", () => {
  let server: TestServer;
  let browser: Browser;
  let opened: OpenedConsole;
  beforeAll(async () => {
    [server, browser] = await Promise.all([TestServer.start(), startBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });
  afterEach(() => opened.context.close());

  describe("a readme of another account", () => {
    let victim: string;
    const templates = new Map<string, string>();
    beforeAll(async () => {
      const [author, reader] = [await server.account(), await server.account()];
      const keyOf = async (account: string): Promise<string> => {
        const { authorization } = await server.key("manage", { account });
        return authorization.replace("Bearer ", "");
      };
      const authorKey = await keyOf(author);
      victim = await keyOf(reader);
      for (const [name, readme] of Object.entries(READMES)) {
        const fields = { name, readme, imageName: "team/worker:1", isPublic: true };
        const created = await server.post("/v1/templates", fields, { authorization: authorKey });
        templates.set(name, created.json.id);
      }
    });
    beforeEach(async () => {
      opened = await openConsole(browser, server, { key: victim });
    });

    test.each(Object.keys(READMES))("of %s is shown, and the page still answers", async (name) => {
      const { page, faults } = opened;
      await goToPlace(page, `templates/${templates.get(name)}`, "Worker time");
      await page.getByRole("region", { name, exact: true }).waitFor();
      await page.getByText("The rest of this readme is too long to format.").waitFor();
      await page.getByLabel("Search by name or image").fill("tildes");
      await page.getByText("1 templates").waitFor();
      await page.getByRole("link", { name: "Endpoints" }).click();
      await page
        .getByText("This key has access to no endpoint")
        .or(page.getByText("Your first job"))
        .first()
        .waitFor();
      expect(faults).toEqual([]);
    });
  });

  describe("a job", () => {
    let endpoint: string;
    let worker: TestWorker;
    beforeAll(async () => {
      endpoint = await server.endpoint();
      worker = await server.worker(endpoint);
    });
    beforeEach(async () => {
      opened = await openConsole(browser, server);
    });

    /** The place of a job that has ended with this result, sent as it is written here. */
    async function placeOf(result: string): Promise<string> {
      const id = await server.run(endpoint, { asked: "the input" });
      await worker.take();
      expect((await worker.done(id, result)).status).toBe(200);
      return `endpoints/${endpoint}/jobs/${id}`;
    }

    const MB = 1_000_000;
    const long = (character: string): string => character.repeat(5 * MB);

    test.each([
      ["a number of 60,000 digits", `{"output":[${"1".repeat(60_000)},"the end"]}`, 2],
      ["a name of 5 MB", `{"output":{"${long("n")}":1,"last":"the end"}}`, 2],
      ["blanks of 5 MB", `{"output":[1,${long(" ")}"the end"]}`, 0],
      ["150,000 backslashes", `{"output":["${"\\\\".repeat(75_000)}${long("x")}","the end"]}`, 2],
      ["an error of 5 MB", `{"error":"the end ${long("e")}"}`, 1],
    ])("with %s is shown part by part", async (_name, result, more) => {
      const { page, faults } = opened;
      await goToPlace(page, await placeOf(result), "the end");
      for (let click = 0; click < more; click++) {
        await page.getByRole("button", { name: "Show more of" }).last().click();
      }
      await page.getByText("the end").first().waitFor();
      expect(await page.evaluate<number>("document.body.innerText.length")).toBeLessThan(2 * MB);
      expect(faults).toEqual([]);
    });

    test("an escape at the place where a long text is cut stays whole", async () => {
      const { page } = opened;
      // A text shows 500 characters at first: each of these is cut at another place of the escape.
      for (let before = 492; before <= 500; before++) {
        for (const escape of ["\\u00e9", "\\\\", "\\\\\\n"]) {
          const text = `${"a".repeat(before)}${escape}${"z".repeat(100)}`;
          await goToPlace(page, await placeOf(`{"output":"${text}"}`), "Show more of");
          const shown = (await page.locator(".tree .text").last().textContent()) ?? "";
          expect(JSON.parse(`"${text}"`)).toStartWith(shown);
          expect(shown.length).toBeGreaterThanOrEqual(before - 1);
        }
      }
    });

    test("a panel that cannot be shown says so, and everything else works", async () => {
      const { page, faults } = opened;
      const place = await placeOf('{"output":"the output"}');
      const timeline = `**/v1/${place}`;
      await page.route(timeline, async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), attempts: null } });
      });
      await goToPlace(page, place, "The timeline cannot be shown.");
      await page.getByText("the input").waitFor();
      await page.getByText("the output").waitFor();
      await page.getByText("Submitted").waitFor();
      expect(faults).not.toEqual([]);
      await page.unroute(timeline);
      await goToPlace(page, "keys", "New key");
      await goToPlace(page, place, "ran ");
      expect(await page.getByText("cannot be shown").count()).toBe(0);
    });

    test("a page that cannot be shown says so, and the others are shown", async () => {
      const { page } = opened;
      await page.route("**/v1/templates*", (route) => route.fulfill({ json: {} }));
      await goToPlace(page, "templates", "This page cannot be shown.");
      await page.getByRole("link", { name: "Keys" }).click();
      await page.getByRole("heading", { name: "Keys", exact: true }).waitFor();
      expect(await page.getByText("cannot be shown").count()).toBe(0);
    });
  });
});
