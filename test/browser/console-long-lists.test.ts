import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { NOTHING, withNews, withPage } from "../../console/src/pages/jobs/found-list.ts";
import { until } from "../support/until.ts";
import { goToPlace, openConsole, PHONE } from "./console-world.ts";
import { personAtConsole } from "./person-at-console.ts";

const JOBS = "**/v1/jobs?*";

const rowCount = (page: Page): Promise<number> => page.locator(".job-list:not(.old) tbody tr").count();

const selectAll = (page: Page) => page.getByLabel("Select all");

test("a look for news does not lose how far an empty list was searched", () => {
  const searched = withPage(NOTHING, { jobs: [], historyMs: 1_000, nextCursor: "far" });
  const looked = withNews(searched, { jobs: [], historyMs: 1_000, nextCursor: "near" });
  expect(looked.cursor).toBe("far");
});

describe("lists of jobs that are long, refused or late, in Chromium", () => {
  const person = personAtConsole();

  /** An endpoint with waiting jobs of one tag, the newest first. */
  async function waiting(name: string, count: number): Promise<{ endpoint: string; jobs: string[] }> {
    const { server } = person;
    const many = { requests: 5_000, concurrent: 500 };
    const rateLimits = { run: many, cancel: many };
    const endpoint = await server.endpoint({ name, rateLimits });
    const submits = Array.from({ length: count }, (_, n) =>
      server.run(endpoint, { n }, { policy: { tags: [name] } }),
    );
    return { endpoint, jobs: (await Promise.all(submits)).toSorted().toReversed() };
  }

  test("a list whose first call failed is read again, also after a change of the filters", async () => {
    const { page, shown, press } = person;
    await waiting("unlucky", 1);
    for (const act of [() => goToPlace(page, "jobs?tag=unlucky", "Filters"), () => press("in queue")]) {
      await page.route(JOBS, (route) => route.abort("connectionrefused"), { times: 1 });
      await Promise.all([shown("The server does not answer."), act()]);
      await shown("1 job");
      await page.getByRole("alert").waitFor({ state: "detached" });
      await until("the row is shown", async () => (await rowCount(page)) === 1);
    }
  });

  test("a touch on another filter keeps the text that was just typed", async () => {
    const { browser, server } = person;
    await waiting("touched", 1);
    const other = await openConsole(browser, server, { viewport: PHONE, hasTouch: true });
    await goToPlace(other.page, "jobs?tag=touched", "1 job");
    await other.page.getByText("More filters").tap();
    await other.page.getByLabel("Error contains").pressSequentially("paint");
    await other.page.getByRole("button", { name: "failed", exact: true }).tap();
    await until("both are in the address", () => {
      const { tag, error, state } = Object.fromEntries(new URLSearchParams(other.page.url().split("?")[1]));
      return Promise.resolve([tag, error, state].join() === "touched,paint,FAILED");
    });
    await other.page.getByLabel("Release").pressSequentially("3");
    await other.page.getByRole("link", { name: "Clear filters" }).tap();
    await until("no filter is left", () => Promise.resolve(other.page.url().endsWith("#/jobs")));
    await until(
      "the fields are empty",
      async () => (await other.page.getByLabel("Release").inputValue()) === "",
    );
    expect(await other.page.getByLabel("Error contains").inputValue()).toBe("");
    expect(other.faults).toEqual([]);
    await other.context.close();
  });

  test("nothing is selected while a filter is refused", async () => {
    const { page, shown } = person;
    await waiting("refused", 2);
    await goToPlace(page, "jobs?tag=refused", "2 jobs");
    await selectAll(page).check();
    await page.getByLabel("Ran at least").fill("soon");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
    expect(await selectAll(page).isDisabled()).toBe(true);
    expect(await page.getByText("Searching…").count()).toBe(0);
    expect(await page.getByText("selected").count()).toBe(0);
    await page.getByLabel("Ran at least").fill("");
    await page.keyboard.press("Enter");
    await shown("2 jobs");
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  test("announces new jobs only, not those below the list", async () => {
    const { page, server, shown } = person;
    const { endpoint } = await waiting("below", 10);
    const ended = await Promise.all(Array.from({ length: 70 }, () => server.run(endpoint)));
    await Promise.all(ended.map((job) => server.post(`/v2/${endpoint}/cancel/${job}`)));
    await until("the history has them", async () => {
      const { json } = await server.get(`/v1/jobs?endpoint=${endpoint}&state=CANCELLED&limit=100`);
      return json.jobs.length === ended.length;
    });
    const read = async (limit: number) =>
      (await server.get(`/v1/jobs?endpoint=${endpoint}&limit=${limit}`)).json;
    expect(withNews(withPage(NOTHING, await read(50)), await read(80)).fresh.size).toBe(0);
    await goToPlace(page, `endpoints/${endpoint}/jobs`, "50+ jobs");
    await server.run(endpoint);
    await shown("1 new job, show");
  });

  test("a row stays selected when new rows push it below the list, and after a dialog", async () => {
    const { page, server, press, shown } = person;
    const { endpoint, jobs } = await waiting("pushed", 50);
    await goToPlace(page, `endpoints/${endpoint}/jobs`, "50+ jobs");
    await page.getByLabel(`Select ${jobs.at(-1)}`).check();
    const added = await server.run(endpoint);
    await press("1 new job, show");
    await page.getByLabel(`Select ${added}`).waitFor();
    await shown("1 selected");
    await press("Cancel jobs");
    await shown("1 job is selected.");
    await press("Back");
    await shown("1 selected");
    await press("Cancel jobs");
    await press("Cancel 1 job");
    await shown("1 job is cancelled.");
    await press("Close");
    await page.getByText("1 selected").waitFor({ state: "detached" });
    expect((await server.status(endpoint, jobs.at(-1) ?? "")).status).toBe("CANCELLED");
  });

  test("the list is as long as it was after a look at its first job", async () => {
    const { page, press } = person;
    const { endpoint, jobs } = await waiting("first", 120);
    await goToPlace(page, `endpoints/${endpoint}/jobs`, "50+ jobs");
    await page.getByRole("link", { name: jobs[0] ?? "?" }).click();
    await until("there is a next one", () => page.getByRole("button", { name: "Next" }).isEnabled());
    await press("Next");
    await until("the second job is open", () => Promise.resolve(page.url().includes(jobs[1] ?? "?")));
    await goToPlace(page, `endpoints/${endpoint}/jobs`, "50+ jobs");
    expect(await rowCount(page)).toBe(50);
  });

  test("without a filter, says that all matches need one", async () => {
    const { page, shown } = person;
    await waiting("crowd", 51);
    await goToPlace(page, "jobs", "50+ jobs");
    await selectAll(page).check();
    await shown("50 selected. Add a filter to act on all.");
    expect(await page.getByRole("button", { name: "Select all matches" }).count()).toBe(0);
  });
});
