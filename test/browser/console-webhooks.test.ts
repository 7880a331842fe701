import { describe, expect, test } from "bun:test";
import { until } from "../support/until.ts";
import { LOOPBACK_ALLOWED, WebhookReceiver } from "../support/webhook-receiver.ts";
import { goToPlace, openConsole } from "./console-world.ts";
import { personAtConsole } from "./person-at-console.ts";

describe("webhooks at the console, in Chromium", () => {
  const person = personAtConsole({ ...LOOPBACK_ALLOWED, "webhook-interval-ms": "50" });

  /** An endpoint, so many jobs of which have ended, and the calls for these failed. */
  async function failed(name: string, count: number, receiver: WebhookReceiver): Promise<string> {
    const { server } = person;
    const endpoint = await server.endpoint({ name, webhookRetries: 0 });
    const worker = await server.worker(endpoint);
    for (let index = 0; index < count; index++) {
      const job = await server.run(endpoint, {}, { webhook: receiver.url() });
      await worker.take();
      await worker.done(job, { output: index });
    }
    await until("all have failed", async () => (await listed(endpoint, "FAILED")) === count);
    return endpoint;
  }

  async function listed(endpoint: string, status: string): Promise<number> {
    const { json } = await person.server.get(`/v1/endpoints/${endpoint}/webhooks?status=${status}`);
    return json.webhooks.length;
  }

  test("many are called again, those of a state and a time, after it was said how many", async () => {
    const { page, press, shown } = person;
    let isUp = false;
    await using receiver = await WebhookReceiver.start((response) =>
      response.writeHead(isUp ? 200 : 500).end(),
    );
    const endpoint = await failed("calls", 3, receiver);
    await goToPlace(page, `endpoints/${endpoint}/webhooks`, "Last answer");
    await page.getByLabel("State").selectOption("FAILED");
    await page.getByRole("cell", { name: "500" }).first().waitFor();
    await press("Resend webhooks");
    const dialog = page.getByRole("dialog", { name: "Resend webhooks?" });
    await dialog.getByText("3 webhooks are sent again.").waitFor();
    const sure = dialog.getByRole("button", { name: "Resend" });
    await dialog.getByLabel("Ended before").fill("2026-01-31T12:00");
    await dialog.getByText("No webhooks in this range.").waitFor();
    expect(await sure.isDisabled()).toBe(true);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(await listed(endpoint, "FAILED")).toBe(3);

    isUp = true;
    await press("Resend webhooks");
    await sure.click();
    await shown("3 webhooks are sent again.");
    await until("all are delivered", async () => (await listed(endpoint, "DELIVERED")) === 3);
    expect(receiver.calls.length).toBe(6);
    await shown("No webhooks");
    await page.getByLabel("State").selectOption("");
    await page.getByRole("cell", { name: "delivered" }).nth(2).waitFor();
  });

  test("the signing secret is in the page only while it is shown, and rotates with an overlap", async () => {
    const { page, server, press } = person;
    const endpoint = await server.endpoint({ name: "signs" });
    const path = `/v1/endpoints/${endpoint}/webhook-secret`;
    const before: string = (await server.get(path)).json.secret;
    await goToPlace(page, `endpoints/${endpoint}/webhooks`, "Signing secret");
    expect(await page.content()).not.toContain(before);
    await press("Show the secret");
    await page.getByText(before, { exact: true }).waitFor();
    await press("Hide the secret");
    expect(await page.content()).not.toContain(before);

    await press("Rotate the secret");
    await page.getByLabel("The old secret also signs for").selectOption("an hour");
    await press("Create secret");
    await page.getByText("The old secret also signs until").waitFor();
    const { secret, previousSecret, previousUntil } = (await server.get(path)).json;
    expect(previousSecret).toBe(before);
    expect(Date.parse(previousUntil)).toBeLessThanOrEqual(Date.now() + 3_600_000);
    expect(await page.getByLabel("Secret", { exact: true }).textContent()).toBe(secret);
    expect(await page.getByLabel("Old secret", { exact: true }).textContent()).toBe(before);
  });

  test("a key that reads sees the calls, and neither the secret nor a way to call again", async () => {
    await using receiver = await WebhookReceiver.start((response) => response.writeHead(500).end());
    const endpoint = await failed("watched", 1, receiver);
    const { json } = await person.server.post("/v1/keys", { name: "watcher", scopes: ["read"] });
    const { page, context, faults } = await openConsole(person.browser, person.server, { key: json.key });
    await goToPlace(page, `endpoints/${endpoint}/webhooks`, "Last answer");
    await page.getByRole("cell", { name: "500" }).waitFor();
    expect(await page.getByText("Signing secret").count()).toBe(0);
    expect(await page.getByRole("button", { name: /again/ }).count()).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
  });
});
