import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { until } from "../support/until.ts";
import { goToPlace, openConsole, PHONE } from "./console-world.ts";
import { personAtConsole } from "./person-at-console.ts";

/** The texts of the rows, the first at the top. */
const rowsOf = (page: Page): Promise<string[]> => page.locator(".job-list tbody tr").allTextContents();

/** The ids in the rows. */
const idsOf = (page: Page): Promise<string[]> =>
  page.evaluate("[...document.querySelectorAll('.job-list tbody th a')].map(({ title }) => title)");

const search = (page: Page) => page.getByRole("combobox", { name: "Search jobs, errors and endpoints" });

describe("the list of jobs at the console, in Chromium", () => {
  const person = personAtConsole();

  /** An endpoint with jobs that failed, one for each error. */
  async function failing(name: string, errors: readonly string[], tags?: readonly string[]) {
    const { server } = person;
    const endpoint = await server.endpoint({ name });
    const worker = await server.worker(endpoint);
    const jobs: string[] = [];
    for (const error of errors) {
      const job = await server.run(endpoint, { prompt: error }, { policy: { tags } });
      await worker.take();
      await worker.done(job, { error });
      jobs.push(job);
    }
    await until("the history has them", async () => {
      const { json } = await server.get(`/v1/jobs?endpoint=${endpoint}&state=FAILED`);
      return json.jobs.length === errors.length;
    });
    return { endpoint, worker, jobs };
  }

  test("keeps every filter in the address: after a reload, with back, and for somebody else", async () => {
    const { page, server, press, browser } = person;
    const { jobs } = await failing("narrowed", ["out of paint", "out of memory", "no GPU"], ["nightly"]);
    await server.run(await server.endpoint({ name: "others" }), {});
    await goToPlace(page, "jobs", "out of paint");
    await press("failed");
    await page.getByLabel("Error contains").fill("OUT OF");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "nightly" }).first().click();
    await page.getByLabel("Endpoint", { exact: true }).fill("narrowed");
    await page.keyboard.press("Enter");
    await press("Last hour");
    await page.getByLabel("Ended before").fill("2099-01-01T10:00");
    await page.getByLabel("Ran at least").fill("0");
    await page.getByLabel("Id starts with").fill(jobs[0]?.slice(0, 4) ?? "");
    await page.keyboard.press("Enter");
    const wanted = jobs.slice(0, 2).toReversed();
    const isNarrowed = (of: Page) =>
      until("only the two jobs are listed", async () => (await idsOf(of)).join() === wanted.join());
    await isNarrowed(page);
    const asked = new URLSearchParams(page.url().split("?")[1]);
    expect(Object.fromEntries(asked)).toEqual({
      state: "FAILED",
      error: "OUT OF",
      tag: "nightly",
      endpoint: "narrowed",
      from: expect.stringMatching(/^20.*Z$/),
      to: new Date("2099-01-01T10:00").toISOString(),
      minDuration: "0",
      id: jobs[0]?.slice(0, 4) ?? "",
    });
    await page.reload();
    await isNarrowed(page);
    expect(await page.getByLabel("Error contains").inputValue()).toBe("OUT OF");
    expect(await page.getByLabel("Ended before").inputValue()).toBe("2099-01-01T10:00");
    const other = await openConsole(browser, server);
    await other.page.goto(page.url());
    await other.page.reload();
    await isNarrowed(other.page);
    await other.context.close();
    await page.getByRole("link", { name: "Clear filters" }).click();
    await page.getByText("no GPU").waitFor();
    await page.goBack();
    await isNarrowed(page);
  });

  test("announces new jobs and moves no row; a state changes in its place", async () => {
    const { page, server, press } = person;
    const endpoint = await server.endpoint({ name: "calm" });
    const worker = await server.worker(endpoint);
    const first = await server.run(endpoint, { n: 1 });
    await goToPlace(page, `endpoints/${endpoint}/jobs`, "in queue");
    await server.run(endpoint, { n: 2 });
    await page.getByRole("button", { name: "1 new job, show" }).waitFor();
    await server.run(endpoint, { n: 3 });
    await page.getByRole("button", { name: "2 new jobs, show" }).waitFor();
    expect(await idsOf(page)).toEqual([first]);
    await worker.take();
    await until("the row says it", async () => (await rowsOf(page))[0]?.includes("in progress"));
    await worker.done(first, { error: "out of paint" });
    await until("the row has the error", async () =>
      /failed.*out of paint/.test((await rowsOf(page))[0] ?? ""),
    );
    expect(await idsOf(page)).toEqual([first]);
    await press("2 new jobs, show");
    await until("all three are listed", async () => (await idsOf(page)).length === 3);
    expect((await idsOf(page)).at(-1)).toBe(first);
  });

  test("copies an id, and loads more rows below those that are there", async () => {
    const { page, server, press, shown } = person;
    const endpoint = await server.endpoint({ name: "many" });
    const ids: string[] = [];
    for (let index = 0; index < 120; index++) ids.unshift(await server.run(endpoint));
    await goToPlace(page, `endpoints/${endpoint}/jobs`, "50+ jobs");
    expect(await idsOf(page)).toEqual(ids.slice(0, 50));
    await press("Load more");
    await shown("100+ jobs");
    await press("Load more");
    await shown("120 jobs");
    expect(await idsOf(page)).toEqual(ids);
    expect(await page.getByRole("button", { name: "Load more" }).count()).toBe(0);
    await press(`Copy ${ids[0]}`);
    await shown("The id is copied.");
  });

  test("of several long tags shows the first two, cut, how many more, and all as its title", async () => {
    const { page, server } = person;
    const tags = Array.from({ length: 8 }, (_, n) => `nightly-evaluation-${n}`);
    await server.run(await server.endpoint({ name: "tagged" }), {}, { policy: { tags } });
    await goToPlace(page, "jobs?tag=nightly-evaluation-0", "+6");
    const cell = page.locator(".tags");
    expect(await cell.getAttribute("title")).toBe(tags.join(", "));
    const { x: left = 0, width = 0 } = (await page.locator(".job-list tbody td").last().boundingBox()) ?? {};
    for (const shown of [...(await cell.getByRole("link").all()), cell.getByText("+6")]) {
      const box = (await shown.boundingBox()) ?? { x: 0, width: 0 };
      expect(box.width).toBeGreaterThan(8);
      expect(box.x + box.width).toBeLessThanOrEqual(left + width);
    }
    await cell.getByRole("link", { name: "nightly-evaluation-1" }).click();
    await until("it is narrowed", () => Promise.resolve(page.url().endsWith("tag=nightly-evaluation-1")));
  });

  test("previous and next follow the list of the reader, also beyond the newest 1,000", async () => {
    const { page, server, press } = person;
    const rateLimits = { run: { requests: 5_000, concurrent: 500 } };
    const endpoint = await server.endpoint({ name: "long", rateLimits });
    const first = await server.run(endpoint, {}, { policy: { tags: ["odd"] } });
    const second = await server.run(endpoint, {}, { policy: { tags: ["odd"] } });
    await Promise.all(Array.from({ length: 1_050 }, () => server.run(endpoint)));
    await goToPlace(page, `endpoints/${endpoint}/jobs/${second}`, "in queue");
    await press("Next");
    await until("the oldest job is open", () => Promise.resolve(page.url().includes(first)));
    // Both are disabled until the list is known.
    await until("the list is known", () => page.getByRole("button", { name: "Previous" }).isEnabled());
    expect(await page.getByRole("button", { name: "Next" }).isDisabled()).toBe(true);
    const third = await server.run(endpoint, {}, { policy: { tags: ["odd"] } });
    await goToPlace(page, "jobs?tag=odd", "3 jobs");
    await page.getByRole("link", { name: second }).click();
    await press("Previous");
    await until("the newest of the list is open", () => Promise.resolve(page.url().includes(third)));
    await page.getByRole("link", { name: "Jobs", exact: true }).last().click();
    await until(
      "the list is as it was",
      async () => (await idsOf(page)).join() === [third, second, first].join(),
    );
  });

  test("finds a job by its id or the beginning of it, errors, and endpoints, with keys alone", async () => {
    const { page, shown } = person;
    const { endpoint, jobs } = await failing("painter", ["out of paint: blue", "out of paint: red"]);
    const [job = ""] = jobs;
    await goToPlace(page, "templates", "Templates");
    const type = async (text: string): Promise<void> => {
      await page.keyboard.press("/");
      await page.keyboard.type(text);
    };
    for (const text of [job, job.slice(0, 18)]) {
      await type(text);
      await page.getByRole("option", { name: /^Job / }).waitFor();
      await page.keyboard.press("Enter");
      await shown("out of paint: blue");
      expect(page.url()).toContain(job);
      await goToPlace(page, "templates", "Templates");
      await page.getByRole("heading", { level: 1 }).click();
    }
    await type("paint:");
    await page.getByRole("option", { name: "Jobs with the error “out of paint: red”" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("option").first().waitFor({ state: "hidden" });
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await until("the list is narrowed", async () => (await idsOf(page)).join() === jobs[1]);
    await type("painte");
    await page.getByRole("option", { name: "Endpoint painter" }).waitFor();
    await page.keyboard.press("Enter");
    await shown("Over time");
    expect(page.url()).toContain(endpoint);
  });

  test("the search works on a phone, and its suggestions stay on the screen", async () => {
    const { page, shown } = person;
    await failing("phone", ["no such voice"]);
    await page.setViewportSize(PHONE);
    await goToPlace(page, "templates", "Templates");
    await search(page).fill("such voice");
    const option = page.getByRole("option", { name: "Jobs with the error “no such voice”" });
    await option.waitFor();
    const { x = -1, width = 0 } = (await option.boundingBox()) ?? {};
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + width).toBeLessThanOrEqual(PHONE.width);
    await option.click();
    await shown("1 job");
  });
});
