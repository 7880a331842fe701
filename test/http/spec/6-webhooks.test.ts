import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { JOB_STATES, isTerminal } from "../../../src/domain/transitions.ts";
import { until } from "../../support/until.ts";
import { LOOPBACK_ALLOWED, WebhookReceiver } from "../../support/webhook-receiver.ts";
import { OneEndpoint } from "./one-endpoint.ts";

const PAUSE = 10_000;

describe("spec 6, webhooks", () => {
  let at: OneEndpoint;
  beforeEach(async () => {
    at = await OneEndpoint.start(LOOPBACK_ALLOWED);
  });
  afterEach(() => at.stop());

  /** Lets time pass, a little with each look, until so many calls have come and are written down. */
  async function untilTried(receiver: WebhookReceiver, attempts: number) {
    return until(`attempt ${attempts} has ended`, async () => {
      await at.clock.advance(25);
      const { webhooks } = (await at.server.get(`/v1/endpoints/${at.id}/webhooks`)).json;
      return receiver.calls.length >= attempts && webhooks[0]?.attempts === attempts && webhooks[0];
    });
  }

  for (const state of JOB_STATES.filter(isTerminal)) {
    test(`6 sentence 1: a job with webhook that ends ${state} calls it`, async () => {
      await using receiver = await WebhookReceiver.start();
      const job = await at.jobIn(state, { webhook: receiver.url("/a?b=c") });
      await untilTried(receiver, 1);
      expect(receiver.calls).toMatchObject([{ path: "/a?b=c" }]);
      expect(JSON.parse(receiver.calls[0]?.body ?? "")).toMatchObject({ id: job, status: state });
    });

    test(`6 sentence 2: by POST, with what status answers of ${state}, byte for byte`, async () => {
      await using receiver = await WebhookReceiver.start();
      const job = await at.jobIn(state, { webhook: receiver.url() });
      const status = await at.get(`status/${job}`);
      await untilTried(receiver, 1);
      expect(receiver.calls).toMatchObject([
        { method: "POST", body: status.text, headers: { "content-type": "application/json" } },
      ]);
    });
  }

  test("6 sentence 1: one that is purged, and one without webhook, call nobody", async () => {
    await using receiver = await WebhookReceiver.start();
    await at.submit({ webhook: receiver.url() });
    await at.post("purge-queue");
    await at.jobIn("COMPLETED");
    await at.clock.advance(3 * PAUSE);
    // One that comes later would come behind theirs.
    await at.jobIn("COMPLETED", { webhook: receiver.url("/later") });
    await untilTried(receiver, 1);
    expect(receiver.calls.map(({ path }) => path)).toEqual(["/later"]);
  });

  for (const status of [200, 204, 299]) {
    test(`6 sentence 3: ${status} is the acknowledgement: no other call comes`, async () => {
      await using receiver = await WebhookReceiver.start((response) => response.writeHead(status).end());
      await at.jobIn("COMPLETED", { webhook: receiver.url() });
      expect(await untilTried(receiver, 1)).toMatchObject({ status: "DELIVERED", responseStatus: status });
      await at.clock.advance(3 * PAUSE);
      expect(receiver.calls).toHaveLength(1);
    });
  }

  for (const status of [301, 302, 404, 410, 500]) {
    const title = `6 sentence 4: after ${status} there are up to 2 more attempts, 10 s apart, and no other`;
    test(title, async () => {
      await using elsewhere = await WebhookReceiver.start();
      await using receiver = await WebhookReceiver.start((response) =>
        response.writeHead(status, { location: elsewhere.url() }).end(),
      );
      await at.jobIn("FAILED", { webhook: receiver.url() });
      await expectThreeAttempts(receiver);
      expect(elsewhere.calls).toEqual([]);
    });
  }

  test("8 webhook retries: 2 more, each 10 s after the end of the one before", async () => {
    await using receiver = await WebhookReceiver.start((response) => response.destroy());
    await at.jobIn("COMPLETED", { webhook: receiver.url() });
    await expectThreeAttempts(receiver);
  });

  async function expectThreeAttempts(receiver: WebhookReceiver): Promise<void> {
    for (const attempts of [1, 2]) {
      const { status, lastAttemptAt, nextAttemptAt } = await untilTried(receiver, attempts);
      expect([status, Date.parse(nextAttemptAt)]).toEqual(["PENDING", Date.parse(lastAttemptAt) + PAUSE]);
      await at.clock.advance(Date.parse(nextAttemptAt) - 50 - at.clock.now());
      expect(receiver.calls).toHaveLength(attempts);
      await at.clock.advance(1_000);
      await until("the next call has come", () => receiver.calls.length === attempts + 1);
    }
    expect(await untilTried(receiver, 3)).toMatchObject({ status: "FAILED" });
    await at.clock.advance(3 * PAUSE);
    expect(receiver.calls).toHaveLength(3);
    const [first, ...others] = receiver.calls;
    for (const call of others) {
      expect(call.body).toBe(first?.body ?? "");
      expect(call.headers["webhook-id"]).toBe(first?.headers["webhook-id"] ?? "");
    }
  }
});
