import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { GROUPS } from "../../console/src/pages/endpoint/endpoint-members.ts";
import { RATE_LIMITS } from "../../src/domain/rate-limits.ts";
import { UPDATE_ENDPOINT } from "../../src/http/manage/endpoint-schema.ts";
import { until } from "../support/until.ts";
import { goToPlace, PHONE, WIDE } from "./console-world.ts";
import { personAtConsole } from "./person-at-console.ts";

describe("settings of an endpoint at the console, in Chromium", () => {
  const person = personAtConsole();

  test("rate limits are raised, with errors next to the figure, and reset to the defaults", async () => {
    const { page, server, press, shown } = person;
    const endpoint = await server.endpoint({ name: "busy" });
    const limits = async (): Promise<unknown> =>
      (await server.get(`/v1/endpoints/${endpoint}`)).json.rateLimits;
    await goToPlace(page, `endpoints/${endpoint}/settings`, "Rate limits");
    const run = page.getByLabel("run: within 10 s");
    await run.fill("5");
    await page.getByLabel("status-sync: at once").fill("800");
    await press("Save");
    const cell = page.getByRole("cell").filter({ has: run });
    await cell.getByText("must be at least 1000: limits can only be raised").waitFor();
    expect(await run.getAttribute("aria-invalid")).toBe("true");
    expect(await limits()).toBeUndefined();
    await run.fill("5000");
    await press("Save");
    await shown("The settings are saved.");
    expect(await limits()).toEqual({ run: { requests: 5_000 }, "status-sync": { concurrent: 800 } });
    await page.reload();
    expect(await run.inputValue()).toBe("5000");
    await run.fill("");
    await page.getByLabel("status-sync: at once").fill("");
    await press("Save");
    await shown("The settings are saved.");
    expect(await limits()).toBeUndefined();
  });

  test("the limits that it shows where nothing is set are those of the server", async () => {
    const { page, server } = person;
    const endpoint = await server.endpoint({ name: "plain" });
    await goToPlace(page, `endpoints/${endpoint}/settings`, "Rate limits");
    const names: Record<string, number> = {};
    for (const input of await page.locator(".limits input").all()) {
      names[(await input.getAttribute("aria-label")) ?? ""] = Number(await input.getAttribute("placeholder"));
    }
    const held: Record<string, number> = {};
    for (const [operation, { requests, concurrent }] of Object.entries(RATE_LIMITS)) {
      held[`${operation}: within 10 s`] = requests;
      if (concurrent !== undefined) held[`${operation}: at once`] = concurrent;
    }
    expect(names).toEqual(held);
  });

  test("headers of webhooks are set, not shown again, and each is asked for in a change", async () => {
    const { page, server, press, shown } = person;
    const endpoint = await server.endpoint({ name: "told" });
    const sent: unknown[] = [];
    page.on("request", (request) => {
      if (request.method() === "PATCH") sent.push(request.postDataJSON());
    });
    await goToPlace(page, `endpoints/${endpoint}/settings`, "Webhook headers");
    const headers = page.getByRole("group", { name: "Webhook headers" });
    await headers.getByRole("button", { name: "Add" }).click();
    await headers.getByLabel("Name 1").fill("X Token");
    await headers.getByLabel("Value 1").fill("one");
    await press("Save");
    await headers.getByText('"X Token" is not the name of a header').waitFor();
    await headers.getByLabel("Name 1").fill("X-Token");
    await press("Save");
    await shown("The settings are saved.");
    await page.reload();
    expect(await headers.getByLabel("Name 1").inputValue()).toBe("X-Token");
    expect(await headers.getByLabel("Value 1").inputValue()).toBe("");

    await headers.getByRole("button", { name: "Add" }).click();
    await headers.getByLabel("Name 2").fill("X-Team");
    await headers.getByLabel("Value 2").fill("vision");
    await press("Save");
    await headers.getByText("X-Token: must be 1 to 4096 printable ASCII characters").waitFor();
    await headers.getByLabel("Value 1").fill("two");
    await press("Save");
    await shown("The settings are saved.");
    expect(sent.at(-1)).toEqual({ webhookHeaders: { "X-Token": "two", "X-Team": "vision" } });
    const { json } = await server.get(`/v1/endpoints/${endpoint}`);
    expect(json.webhookHeaders).toEqual({ "X-Token": "***", "X-Team": "***" });
  });

  test("every member that can be changed is there, but for volumes that no server has", () => {
    const shown = GROUPS.flatMap(({ members }) => members).map(({ name }) => name);
    const elsewhere = ["name", "templateId", "isPaused", "networkVolumeId", "networkVolumeIds"];
    expect([...shown, ...elsewhere].toSorted()).toEqual(Object.keys(UPDATE_ENDPOINT.shape).toSorted());
  });

  test("lists, texts and flags are set, those that mean something to hosted clouds too", async () => {
    const { page, server, press, shown } = person;
    const endpoint = await server.endpoint({ name: "whole" });
    await goToPlace(page, `endpoints/${endpoint}/settings`, "Settings of hosted clouds");
    await page.getByLabel("Types of GPU").fill("A100\nH100");
    await page.getByLabel("Host label").fill("eu");
    await page.getByLabel("Data centers").fill("EU-1");
    await page.getByLabel("Minimum CUDA version").fill("twelve");
    await page.getByLabel("Flashboot").check();
    await press("Save");
    await page.locator(".field .wrong").getByText("must be a version such as 12.4, or empty").waitFor();
    await page.getByLabel("Minimum CUDA version").fill("12.4");
    await press("Save");
    await shown("The settings are saved.");
    const { json } = await server.get(`/v1/endpoints/${endpoint}`);
    expect(json).toMatchObject({
      gpuTypeIds: ["A100", "H100"],
      hostLabel: "eu",
      dataCenterIds: ["EU-1"],
      minCudaVersion: "12.4",
      flashboot: true,
    });
    await page.getByLabel("Host label").fill("");
    await press("Save");
    await until("the label is gone", async () => {
      return (await server.get(`/v1/endpoints/${endpoint}`)).json.hostLabel === undefined;
    });
  });

  test("durations are typed and shown as people write them, with a sentence where one is wrong", async () => {
    const { page, server, press, shown } = person;
    const endpoint = await server.endpoint({ name: "timed", executionTimeoutMs: 5_400_000 });
    await goToPlace(page, `endpoints/${endpoint}/settings`, "Execution timeout");
    expect(await page.getByLabel("Execution timeout").inputValue()).toBe("1h 30m");
    expect(await page.getByLabel("TTL").inputValue()).toBe("1d");
    await page.getByLabel("TTL").fill("a while");
    await press("Save");
    await page.locator(".field .wrong").getByText("must be a duration such as 500ms, 30s, 10m").waitFor();
    expect(await page.getByLabel("TTL").getAttribute("aria-invalid")).toBe("true");
    await page.getByLabel("TTL").fill("12h");
    await page.getByLabel("Idle time").fill("2m");
    await page.getByLabel("Result retention of runsync").fill("");
    await shown("3 changes");
    await press("Save");
    await shown("The settings are saved.");
    const { json } = await server.get(`/v1/endpoints/${endpoint}`);
    expect(json).toMatchObject({ ttlMs: 43_200_000, idleTimeout: 120, runsyncRetentionMs: 60_000 });
  });

  test("after a save the fields show what was saved at once, and what is typed then stays", async () => {
    const { page, server, press, shown } = person;
    const endpoint = await server.endpoint({ name: "quick" });
    await goToPlace(page, `endpoints/${endpoint}/settings`, "Host label");
    const label = page.getByLabel("Host label");
    await using _ = await withoutReads(page, `**/v1/endpoints/${endpoint}`);
    await label.fill("eu");
    await press("Save");
    await shown("The settings are saved.");
    expect(await label.inputValue()).toBe("eu");
    await label.fill("");
    await press("Save");
    await until("the label is gone", async () => {
      return (await server.get(`/v1/endpoints/${endpoint}`)).json.hostLabel === undefined;
    });
  });

  test("Save stays in sight at both ends of the form, on a phone too", async () => {
    const { page, server } = person;
    const endpoint = await server.endpoint({ name: "long" });
    for (const viewport of [WIDE, PHONE]) {
      await page.setViewportSize(viewport);
      await goToPlace(page, `endpoints/${endpoint}/settings`, "Execution timeout");
      for (const isStart of [true, false]) {
        await page.evaluate(`document.querySelector("form").scrollIntoView(${isStart})`);
        const { y = 0, height = 0 } = (await page.getByRole("button", { name: "Save" }).boundingBox()) ?? {};
        expect(y).toBeGreaterThan(0);
        expect(y + height).toBeLessThanOrEqual(viewport.height);
      }
    }
  });
});

/** Reads of the console at this address fail until the end. */
async function withoutReads(page: Page, address: string): Promise<AsyncDisposable> {
  await page.route(address, (route) =>
    route.request().method() === "GET" ? route.abort() : route.continue(),
  );
  return { [Symbol.asyncDispose]: () => page.unroute(address) };
}
