import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { startBrowser } from "../support/browser.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";
import { goToPlace, openConsole } from "./console-world.ts";

describe("workers and releases at the console, in Chromium", () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([TestServer.start(), startBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  test("a release goes on in sight, is rolled back, and workers are replaced and stopped", async () => {
    const wish = { name: "greeter", imageName: "process/hello" };
    const templateId = (await server.post("/v1/templates", wish)).json.id;
    // No worker ends by itself while the page is looked at.
    const workers = { workersMin: 1, workersMax: 2, idleTimeout: 3_600 };
    const endpoint = await server.endpoint({ name: "greets", templateId, ...workers });
    const job = await server.run(endpoint, { name: "console" });
    const { workerId } = await server.ended(endpoint, job);

    const { page, context, faults } = await openConsole(browser, server);
    await goToPlace(page, `endpoints/${endpoint}/workers`, workerId);
    await page.getByRole("button", { name: `Logs of ${workerId}` }).click();
    await page.getByRole("log", { name: `Logs of worker ${workerId}` }).waitFor();
    await page.getByRole("button", { name: "Close" }).click();

    await server.call("PATCH", `/v1/templates/${templateId}`, { env: { MODEL: "large" } });
    await goToPlace(page, `endpoints/${endpoint}/releases`, "Began");
    await page.getByRole("rowheader", { name: "2" }).waitFor();
    await page.getByRole("row", { name: /^2 complete/ }).waitFor();
    await page.getByRole("button", { name: "Roll back to version 1" }).click();
    await page.getByRole("button", { name: "Roll back", exact: true }).click();
    await page.getByRole("row", { name: /^3 back to 1 complete/ }).waitFor();

    await goToPlace(page, `endpoints/${endpoint}/workers`, "process");
    const { json } = await server.get(`/v1/endpoints/${endpoint}/workers`);
    const [worker] = json.workers;
    await page.getByRole("button", { name: `Replace ${worker.id}` }).click();
    await page.getByRole("button", { name: "Replace worker" }).click();
    await page.getByText("The worker stops after its jobs").waitFor();
    await page.getByRole("rowheader", { name: worker.id }).waitFor({ state: "detached" });
    const stop = page.getByRole("button", { name: /^Stop / }).first();
    await stop.click();
    await page.getByRole("button", { name: "Stop worker" }).click();
    await page.getByText("The worker gets no more jobs and stops.").waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test("a release is paused in sight, stays where it is, and is resumed", async () => {
    const wish = { name: "pauser", imageName: "process/hello" };
    const templateId = (await server.post("/v1/templates", wish)).json.id;
    const endpoint = await server.endpoint({ name: "pauses", templateId, workersMin: 1, workersMax: 1 });
    const releases = async () => (await server.get(`/v1/endpoints/${endpoint}/releases`)).json.releases;
    await until("the first is complete", async () => (await releases())[0].state === "COMPLETE");
    // Nothing of the second one starts before the endpoint goes on.
    await server.call("PATCH", `/v1/endpoints/${endpoint}`, { isPaused: true });
    await server.call("PATCH", `/v1/templates/${templateId}`, { env: { MODEL: "large" } });

    const { page, context, faults } = await openConsole(browser, server);
    await goToPlace(page, `endpoints/${endpoint}/releases`, "Began");
    await page.getByRole("button", { name: "Pause the release" }).click();
    await page.getByText("Paused. Both versions run").waitFor();
    await page.getByRole("row", { name: /^2 paused/ }).waitFor();
    await page.getByText("no worker is replaced until it is resumed").waitFor();
    await server.call("PATCH", `/v1/endpoints/${endpoint}`, { isPaused: false });
    const job = await server.run(endpoint, { name: "console" });
    expect((await server.ended(endpoint, job)).workerId).toEndWith("_1");
    expect((await releases())[0].state).toBe("PAUSED");
    await page.getByRole("button", { name: "Resume the release" }).click();
    await page.getByText("The release is resumed.").waitFor();
    await page.getByRole("row", { name: /^2 complete/ }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test("workers without heartbeats are counted in a warning, until they send some", async () => {
    const endpoint = await server.endpoint({ name: "quiet" });
    const [one, other] = await server.workers(endpoint, 2);
    const { page, context, faults } = await openConsole(browser, server);
    const waiting = [one?.take(), other?.take()];
    await goToPlace(page, `endpoints/${endpoint}/workers`, "2 workers do not send heartbeats");
    expect(await page.getByText("no heartbeats", { exact: true }).count()).toBe(2);
    await one?.ping([]);
    await page.getByText("1 worker does not send heartbeats").waitFor();
    await other?.ping([]);
    await page.getByText("not send heartbeats").waitFor({ state: "detached" });
    expect(faults).toEqual([]);
    await context.close();
    await server.call("PATCH", `/v1/endpoints/${endpoint}`, { isPaused: true });
    await server.call("DELETE", `/v1/endpoints/${endpoint}`);
    await Promise.allSettled(waiting);
  });

  test("the log of a job shows what its worker printed", async () => {
    const wish = { name: "printer", imageName: "process/hello" };
    const templateId = (await server.post("/v1/templates", wish)).json.id;
    const endpoint = await server.endpoint({ name: "prints", templateId });
    const job = await server.run(endpoint, {});
    await server.ended(endpoint, job);
    const { page, context, faults } = await openConsole(browser, server);
    await goToPlace(page, `endpoints/${endpoint}/jobs/${job}`, "Logs");
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await page.getByText("printed this while it had job").waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });
});
