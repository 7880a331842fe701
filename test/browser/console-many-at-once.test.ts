import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { until } from "../support/until.ts";
import { goToPlace, openConsole } from "./console-world.ts";
import { personAtConsole } from "./person-at-console.ts";

describe("actions on many jobs at the console, in Chromium", () => {
  const person = personAtConsole();

  /** Waiting jobs with a tag, the newest first. */
  async function waiting(name: string, count: number): Promise<{ endpoint: string; jobs: string[] }> {
    const endpoint = await person.server.endpoint({ name });
    const jobs: string[] = [];
    for (let n = 0; n < count; n++) {
      jobs.unshift(await person.server.run(endpoint, { n }, { policy: { tags: [name] } }));
    }
    return { endpoint, jobs };
  }

  const statesOf = async (endpoint: string, jobs: readonly string[]): Promise<string[]> => {
    const found = await Promise.all(jobs.map((job) => person.server.status(endpoint, job)));
    return found.map(({ status }) => status);
  };

  test("cancels the selected rows only, after it has said how many there are", async () => {
    const { page, press, shown } = person;
    const { endpoint, jobs } = await waiting("some", 5);
    await goToPlace(page, "jobs?tag=some", "5 jobs");
    for (const job of jobs.slice(0, 2)) await page.getByLabel(`Select ${job}`).check();
    await shown("2 selected");
    await press("Cancel jobs");
    await shown("2 jobs are selected.");
    await press("Back");
    expect(new Set(await statesOf(endpoint, jobs))).toEqual(new Set(["IN_QUEUE"]));
    await press("Cancel jobs");
    await press("Cancel 2 jobs");
    await shown("2 jobs are cancelled.");
    await press("Close");
    expect(await statesOf(endpoint, jobs)).toEqual([
      "CANCELLED",
      "CANCELLED",
      "IN_QUEUE",
      "IN_QUEUE",
      "IN_QUEUE",
    ]);
  });

  test("acts on all matches, also those below the rows that are shown", async () => {
    const { page, press, shown } = person;
    const { endpoint, jobs } = await waiting("all", 70);
    const others = await waiting("kept", 1);
    await goToPlace(page, "jobs?tag=all", "50+ jobs");
    await page.getByLabel("Select all").check();
    await shown("50 selected");
    await press("Select all matches");
    await shown("All matches selected");
    await press("Cancel jobs");
    await press("Cancel 70 jobs");
    await shown("70 jobs are cancelled.");
    expect(new Set(await statesOf(endpoint, jobs))).toEqual(new Set(["CANCELLED"]));
    expect(await statesOf(others.endpoint, others.jobs)).toEqual(["IN_QUEUE"]);
  });

  test("retries jobs that failed, and says which others it leaves out", async () => {
    const { page, press, shown, server } = person;
    const { endpoint, jobs } = await waiting("failing", 2);
    const worker = await server.worker(endpoint);
    await worker.take();
    const [, first = ""] = jobs;
    await worker.done(first, { error: "out of paint" });
    await until("the history has it", async () => {
      const { json } = await server.get(`/v1/jobs?endpoint=${endpoint}&state=FAILED`);
      return json.jobs.length === 1;
    });
    await goToPlace(page, `endpoints/${endpoint}/jobs`, "out of paint");
    await page.getByLabel("Select all").check();
    await press("Retry");
    await shown("2 jobs are selected, 1 of them can be changed.");
    await press("Retry 1 job");
    await shown("1 job is back in the queue.");
    expect(await statesOf(endpoint, [first])).toEqual(["IN_QUEUE"]);
  });

  test("exports the selected rows and all matches as JSON lines", async () => {
    const { page, press } = person;
    const { jobs } = await waiting("exported", 60);
    await goToPlace(page, "jobs?tag=exported", "50+ jobs");
    const saved = async (): Promise<string[]> => {
      await press("Export");
      const file = page.waitForEvent("download");
      await page.getByRole("link", { name: "Download" }).click();
      const text = readFileSync(await (await file).path(), "utf8");
      await press("Close");
      const lines = text.split("\n").filter((line) => line !== "");
      return lines.map((line) => JSON.parse(line).id);
    };
    await page.getByLabel(`Select ${jobs[3]}`).check();
    expect(await saved()).toEqual([jobs[3] ?? ""]);
    await page.getByLabel("Select all").check();
    await press("Select all matches");
    expect(await saved()).toEqual(jobs);
  });

  test("a key that only reads can export and do nothing else", async () => {
    const { browser, server } = person;
    await waiting("readable", 1);
    const { json } = await server.post("/v1/keys", { name: "reader", scopes: ["read"] });
    const other = await openConsole(browser, server, { key: json.key });
    await goToPlace(other.page, "jobs?tag=readable", "1 job");
    await other.page.getByLabel("Select all").check();
    await until("it can be exported", () => other.page.getByRole("button", { name: "Export" }).isVisible());
    for (const name of ["Retry", "Resubmit", "Cancel jobs"]) {
      expect(await other.page.getByRole("button", { name }).count()).toBe(0);
    }
    expect(other.faults).toEqual([]);
    await other.context.close();
  });
});
