import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { WebhookReceiver } from "../support/webhook-receiver.ts";
import { WebhookServer } from "../support/webhook-server.ts";

describe("what an endpoint says of its webhooks", () => {
  let at: WebhookServer;
  beforeEach(async () => {
    at = await WebhookServer.start();
  });
  afterEach(() => at.server.stop());

  test("webhookRetries: as many attempts as the endpoint says", async () => {
    await using receiver = await WebhookReceiver.start((response) => response.writeHead(500).end());
    const record = `/v1/endpoints/${at.endpoint}`;
    expect((await at.server.get(record)).json.webhookRetries).toBe(2);
    expect((await at.server.call("PATCH", record, { webhookRetries: 0 })).json.webhookRetries).toBe(0);
    await at.completed(receiver.url());
    expect(await at.untilListed("FAILED")).toMatchObject([{ attempts: 1 }]);
    await at.server.call("PATCH", record, { webhookRetries: 3 });
    await at.completed(receiver.url("/more"));
    expect(await at.untilListed("FAILED", 2)).toMatchObject([{ attempts: 4 }, { attempts: 1 }]);
    for (const webhookRetries of [-1, 31, 1.5, "2"]) {
      expect((await at.server.call("PATCH", record, { webhookRetries })).status).toBe(400);
    }
    expect((await at.server.call("PATCH", record, { webhookRetries: null })).json.webhookRetries).toBe(2);
  });

  test("webhookHeaders: they are sent with each call, and their values are in no answer", async () => {
    await using receiver = await WebhookReceiver.start();
    const record = `/v1/endpoints/${at.endpoint}`;
    const webhookHeaders = { Authorization: "Bearer canary-of-the-receiver", "X-Team": "blue sky" };
    const answers = [await at.server.call("PATCH", record, { webhookHeaders }), await at.server.get(record)];
    for (const { text, json } of answers) {
      expect(json.webhookHeaders).toEqual({ Authorization: "***", "X-Team": "***" });
      expect(text).not.toContain("canary");
    }
    await at.completed(receiver.url());
    expect((await receiver.called())[0]?.headers).toMatchObject({
      authorization: "Bearer canary-of-the-receiver",
      "x-team": "blue sky",
    });
    await at.server.call("PATCH", record, { name: "renamed" });
    expect((await at.server.get(record)).json.webhookHeaders).toEqual({
      Authorization: "***",
      "X-Team": "***",
    });
    await at.server.call("PATCH", record, { webhookHeaders: null });
    await at.completed(receiver.url());
    expect((await receiver.called(2))[1]?.headers.authorization).toBeUndefined();
    expect((await at.server.get(record)).json.webhookHeaders).toBeUndefined();
  });

  const refusedHeaders: readonly Record<string, unknown>[] = [
    ...["Host", "content-length", "Connection", "Transfer-Encoding", "TE", "Upgrade", "Webhook-Id"].map(
      (name) => ({ [name]: "x" }),
    ),
    { "": "x" },
    { "a b": "x" },
    { "a:": "x" },
    { a: "" },
    { a: "x\r\nb: y" },
    { a: "é" },
    { a: "x".repeat(4_097) },
    { a: "***" },
    { a: 1 },
    { A: "x", a: "y" },
    Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`x-${n}`, "x"])),
  ];
  for (const webhookHeaders of refusedHeaders) {
    test(`webhookHeaders are refused: ${JSON.stringify(webhookHeaders).slice(0, 60)}`, async () => {
      const { status, json } = await at.server.post("/v1/endpoints", { name: "n", webhookHeaders });
      expect([status, json.code]).toEqual([400, "INVALID_FIELD"]);
      expect(json.error).toStartWith("webhookHeaders");
    });
  }
});
