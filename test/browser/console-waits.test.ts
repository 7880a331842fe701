import { describe, expect, test } from "bun:test";
import { ForebayCommand } from "../support/forebay-command.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { until } from "../support/until.ts";
import { goToPlace } from "./console-world.ts";
import { personAtConsole } from "./person-at-console.ts";

const NO_WORKER = "No worker is connected.";

describe("an endpoint without workers says why at the console, in Chromium", () => {
  const person = personAtConsole();

  test("on the overview, its page and the run page, with a command that works when pasted", async () => {
    const { page, server } = person;
    const endpoint = await server.endpoint({ name: "lonely" });
    await server.endpoint({ name: "another" });
    // Until there are two endpoints, the page shows how to run a first job.
    await page.reload();
    const command = "forebay worker env --endpoint lonely";
    await goToPlace(page, "", "lonely");
    const row = page.getByRole("row").filter({ hasText: command });
    await row.getByText(NO_WORKER).waitFor();
    await row.getByRole("button", { name: "Copy" }).waitFor();
    await goToPlace(page, `endpoints/${endpoint}/jobs`, NO_WORKER);
    await page.getByLabel("Suggested command").getByText(command).waitFor();
    await goToPlace(page, `run/${endpoint}`, NO_WORKER);
    await page.getByRole("button", { name: "Run", exact: true }).click();
    const answer = page.getByRole("region", { name: "The answer" });
    await answer.getByText(NO_WORKER).waitFor();
    await answer.getByText(command).waitFor();
    await answer.getByRole("link", { name: "Open job" }).click();
    await page.getByText(`Place 1 in the queue. ${NO_WORKER}`).waitFor();
    await page.getByRole("button", { name: "Copy", exact: true }).first().waitFor();

    const shown = await page.getByLabel("Suggested command").textContent();
    const [, ...words] = (shown ?? "").trim().split(" ");
    const env = { FOREBAY_URL: server.url, FOREBAY_KEY: TEST_KEY };
    expect(await new ForebayCommand(words, { env }).output()).toContain("RUNPOD_");

    const worker = await server.worker(endpoint);
    await worker.take();
    await until("it is gone", async () => (await page.getByText(NO_WORKER).count()) === 0);
  });

  test("of a pause, the sentence and command are those of the server, and the command ends it", async () => {
    const { page, server } = person;
    const endpoint = await server.endpoint({ name: "resting", isPaused: true });
    const { waits } = (await server.get(`/v1/endpoints/${endpoint}/statistics`)).json.now;
    await goToPlace(page, `endpoints/${endpoint}`, waits.message);
    const env = { FOREBAY_URL: server.url, FOREBAY_KEY: TEST_KEY };
    const [, ...words] = waits.command.split(" ");
    await new ForebayCommand(words, { env }).output();
    await page.getByText(NO_WORKER).waitFor();
    await page.getByText(waits.message).waitFor({ state: "detached" });
  });
});
