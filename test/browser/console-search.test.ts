import { describe, expect, test } from "bun:test";
import { until } from "../support/until.ts";
import { goToPlace } from "./console-world.ts";
import { personAtConsole } from "./person-at-console.ts";

describe("the search of the console while the server is slow, in Chromium", () => {
  const person = personAtConsole();

  /** Types a text for which the server answers when the function is called. */
  async function typed(text: string): Promise<() => void> {
    const { page } = person;
    const answer = Promise.withResolvers<undefined>();
    const isAsked = Promise.withResolvers<undefined>();
    await page.route("**/v1/jobs?error=*", async (route) => {
      isAsked.resolve(undefined);
      await answer.promise;
      await route.continue();
    });
    await goToPlace(page, "templates", "Templates");
    await page.keyboard.press("/");
    await page.keyboard.type(text);
    await isAsked.promise;
    return () => answer.resolve(undefined);
  }

  /** An endpoint with a job that failed so. */
  async function failing(name: string, error: string): Promise<void> {
    const { server } = person;
    const endpoint = await server.endpoint({ name });
    const worker = await server.worker(endpoint);
    const job = await server.run(endpoint);
    await worker.take();
    await worker.done(job, { error });
    await until("the history has it", async () => {
      const { json } = await server.get(`/v1/jobs?endpoint=${endpoint}&state=FAILED`);
      return json.jobs.length === 1;
    });
  }

  test("Escape takes back an Enter that waits for the answer", async () => {
    const { page } = person;
    await failing("left", "no voice");
    const answer = await typed("no voice");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    const answered = page.waitForResponse(/jobs\?error/);
    answer();
    await answered;
    await page.keyboard.press("ArrowDown");
    await page.getByRole("option", { name: "Jobs with the error “no voice”" }).waitFor();
    expect(page.url()).toEndWith("#/templates");
  });

  test("a choice with the arrow keys stays when suggestions arrive above it", async () => {
    const { page } = person;
    await failing("painter", "the painter is out");
    const answer = await typed("painter");
    const any = page.getByRole("option", { name: "Jobs with “painter” in their error" });
    await page.getByRole("option", { name: "Endpoint painter" }).waitFor();
    await page.keyboard.press("ArrowDown");
    expect(await any.getAttribute("aria-selected")).toBe("true");
    answer();
    await page.getByRole("option", { name: "Jobs with the error “the painter is out”" }).waitFor();
    expect(await any.getAttribute("aria-selected")).toBe("true");
    await page.keyboard.press("Enter");
    await until("it is open", () => Promise.resolve(page.url().endsWith("#/jobs?error=painter")));
  });
});
