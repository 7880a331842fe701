import { describe, expect, test } from "bun:test";
import type { Route } from "playwright-core";
import { until } from "../support/until.ts";
import { goToPlace } from "./console-world.ts";
import { personAtConsole } from "./person-at-console.ts";

const JOBS = 3;

describe("an action on many jobs once it is sent, in Chromium", () => {
  const person = personAtConsole();

  /** Opens the dialog that resubmits failed jobs. The operation waits, because one job fills the queue. */
  async function aboutToResubmit(name: string): Promise<void> {
    const { page, server, press } = person;
    const endpoint = await server.endpoint({ name });
    const worker = await server.worker(endpoint);
    for (let n = 0; n < JOBS; n++) {
      const job = await server.run(endpoint, { n });
      await worker.take();
      await worker.done(job, { error: "out of paint" });
    }
    await until("the history has them", async () => {
      const { json } = await server.get(`/v1/jobs?endpoint=${endpoint}&state=FAILED`);
      return json.jobs.length === JOBS;
    });
    await server.call("PATCH", `/v1/endpoints/${endpoint}`, { maxQueuedJobs: 1 });
    await goToPlace(page, `endpoints/${endpoint}/jobs`, "3 jobs");
    await page.getByLabel("Select all").check();
    await press("Resubmit");
    await page.getByRole("button", { name: "Resubmit 3 jobs" }).waitFor();
  }

  /** What becomes of the call that begins the action, not of the one that counts. */
  const onSent = (act: (route: Route) => Promise<void>): Promise<unknown> =>
    person.page.route("**/v1/jobs/resubmit", (route) =>
      route.request().postDataJSON().dryRun === true ? route.continue() : act(route),
    );

  const dialog = () => person.page.getByRole("dialog");
  const operations = async () => (await person.server.get("/v1/job-operations")).json.operations;

  test("begins once if the answer is lost, and shows the operation that began", async () => {
    const { press, shown } = person;
    await aboutToResubmit("lost");
    let sent = 0;
    await onSent(async (route) => {
      sent++;
      await route.fetch();
      await route.abort();
    });
    await press("Resubmit 3 jobs");
    await shown("1 of 3. It goes on if you close this.");
    expect(sent).toBe(1);
    expect((await operations()).length).toBe(1);
    await dialog().getByRole("button", { name: "Stop" }).click();
    await shown("It was stopped.");
  });

  test("sends nothing twice if it is not known whether the action began", async () => {
    const { page, press, shown } = person;
    const before = (await operations()).length;
    await aboutToResubmit("unknown");
    await onSent((route) => route.abort());
    await press("Resubmit 3 jobs");
    await shown("it is not known whether the action began");
    const verb = page.getByRole("button", { name: "Resubmit 3 jobs" });
    expect(await verb.isDisabled()).toBe(true);
    await press("Cancel");
    await dialog().waitFor({ state: "detached" });
    expect((await operations()).length).toBe(before);
  });

  test("Escape does not hide it while it is sent, and whoever closes it can stop it later", async () => {
    const { page, press, shown } = person;
    await aboutToResubmit("held");
    const answer = Promise.withResolvers<undefined>();
    await onSent(async (route) => {
      await answer.promise;
      await route.continue();
    });
    await press("Resubmit 3 jobs");
    await until("it is sent", () => page.getByRole("button", { name: "Resubmit 3 jobs" }).isDisabled());
    for (let times = 0; times < 3; times++) await page.keyboard.press("Escape");
    expect(await dialog().isVisible()).toBe(true);
    answer.resolve(undefined);
    await shown("1 of 3. It goes on if you close this.");
    await press("Close");
    await shown("Resubmitting jobs: 1 of 3");
    await page.reload();
    await shown("Resubmitting jobs: 1 of 3");
    await goToPlace(page, "jobs", "Resubmitting jobs: 1 of 3");
    await press("Stop");
    await page.getByText("Resubmitting jobs").waitFor({ state: "detached" });
    expect((await operations())[0]).toMatchObject({ state: "CANCELLED", done: 1 });
  });
});
