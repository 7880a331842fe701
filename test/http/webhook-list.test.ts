import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { until } from "../support/until.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";
import { WebhookServer } from "../support/webhook-server.ts";

describe("the list of webhooks", () => {
  let at: WebhookServer;
  beforeEach(async () => {
    at = await WebhookServer.start();
  });
  afterEach(() => at.server.stop());

  test("the list has job, attempts, outcome and times, the newest first, page by page", async () => {
    await using receiver = await WebhookReceiver.start((response, _call, nth) =>
      response.writeHead(nth === 1 ? 418 : 202).end(),
    );
    const jobs = [await at.completed(receiver.url())];
    await at.untilListed("DELIVERED", 1);
    for (let n = 0; n < 2; n++) jobs.unshift(await at.completed(receiver.url()));
    await at.untilListed("DELIVERED", 3);

    const path = `/v1/endpoints/${at.endpoint}/webhooks`;
    const first = (await at.server.get(`${path}?limit=2`)).json;
    const second = (await at.server.get(`${path}?limit=2&cursor=${first.nextCursor}`)).json;
    expect([...first.webhooks, ...second.webhooks].map(({ job }) => job)).toEqual(jobs);
    expect(second.nextCursor).toBeUndefined();
    const [oldest] = second.webhooks;
    expect(oldest).toEqual({
      id: receiver.calls[0]?.headers["webhook-id"],
      job: jobs[2],
      jobStatus: "COMPLETED",
      status: "DELIVERED",
      receiver: `127.0.0.1:${receiver.port}`,
      attempts: 2,
      createdAt: expect.stringMatching(/Z$/),
      lastAttemptAt: expect.stringMatching(/Z$/),
      responseStatus: 202,
    });
    expect((await at.server.get(`${path}?status=PENDING`)).json).toEqual({ webhooks: [] });
    expect((await at.server.get(`${path}?status=LOST`)).json.code).toBe("INVALID_QUERY");
  });

  test("by hand one is delivered once more, ended or not, with the same id and body", async () => {
    await using receiver = await WebhookReceiver.start();
    await at.completed(receiver.url());
    const [{ id }] = await at.untilListed("DELIVERED");
    const again = await at.server.post(`/v1/endpoints/${at.endpoint}/webhooks/${id}/redeliver`);
    expect(again.json).toMatchObject({ id, status: "PENDING", attempts: 0 });
    const [first, second] = await receiver.called(2);
    expect(second?.body).toBe(first?.body ?? "");
    expect(second?.headers["webhook-id"]).toBe(id);
    // One that is not delivered yet begins anew.
    await using away = await WebhookReceiver.start((response) => response.writeHead(500).end());
    await at.completed(away.url());
    await away.called();
    const [pending] = await at.untilListed("PENDING");
    const anew = await at.server.post(`/v1/endpoints/${at.endpoint}/webhooks/${pending.id}/redeliver`);
    expect(anew.json).toMatchObject({ id: pending.id, status: "PENDING", attempts: 0 });
    for (const call of await away.called(2)) expect(call.headers["webhook-id"]).toBe(pending.id);
    const none = await at.server.post(`/v1/endpoints/${at.endpoint}/webhooks/msg_none/redeliver`);
    expect([none.status, none.json.code]).toEqual([404, "DELIVERY_NOT_FOUND"]);
  });

  test("by hand a range is delivered once more: what failed, of jobs that ended in it", async () => {
    let isUp = false;
    await using receiver = await WebhookReceiver.start((response) =>
      response.writeHead(isUp ? 200 : 500).end(),
    );
    const failed = [await at.completed(receiver.url()), await at.completed(receiver.url())];
    const to = new Date(Date.parse((await at.untilListed("FAILED", 2))[0].createdAt) + 1).toISOString();
    const late = await at.completed(receiver.url());
    await at.untilListed("FAILED", 3);
    isUp = true;
    const path = `/v1/endpoints/${at.endpoint}/webhooks/redeliver`;
    const from = "2020-01-01T00:00:00+01:00";
    expect((await at.server.post(path, { from, to: from })).json).toEqual({ redelivered: 0 });
    expect((await at.server.post(path, { from, to, status: "DELIVERED" })).json).toEqual({ redelivered: 0 });
    expect((await at.server.post(path, { from, to })).json).toEqual({ redelivered: 2 });
    const delivered = await at.untilListed("DELIVERED", 2);
    expect(delivered.map(({ job }) => job).toSorted()).toEqual(failed.toSorted());
    expect((await at.listed("?status=FAILED")).map(({ job }) => job)).toEqual([late]);
    for (const body of [{}, { from }, { from: "yesterday", to }, { from, to, status: "ALL" }]) {
      expect((await at.server.post(path, body)).json.code).toBe("INVALID_FIELD");
    }
  });

  test("a deleted endpoint takes its webhooks with it", async () => {
    await using receiver = await WebhookReceiver.start((response) => response.writeHead(500).end());
    await at.completed(receiver.url());
    await receiver.called();
    expect((await at.server.call("DELETE", `/v1/endpoints/${at.endpoint}`)).status).toBe(204);
    const { engine } = at.server.forebay;
    await until("nothing of it is left", async () => {
      const { deliveries } = await engine.store.deliveries(at.endpoint, undefined, undefined, 9, 9);
      return deliveries.length === 0;
    });
    expect(engine.configuration.get("webhookSecret", at.endpoint)).toBeUndefined();
  });
});
