import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { deliverWebhooks, type WebhookDeliveries } from "../../src/background/deliver-webhooks.ts";
import { cancel } from "../../src/engine/cancel.ts";
import { report } from "../../src/engine/report.ts";
import { retry } from "../../src/engine/retry.ts";
import { submit } from "../../src/engine/submit.ts";
import { forgetExpired } from "../../src/engine/sweep.ts";
import { DELIVERY_KEY } from "../../src/engine/wait-keys.ts";
import { recordBytes } from "../../src/http/present/record.ts";
import { createOutbound } from "../../src/outbound/create-outbound.ts";
import { parseNetworks } from "../../src/outbound/network.ts";
import { TestEngine } from "../support/test-engine.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";
import { inOrder } from "./in-order.ts";

const PAUSE = 10_000;

describe("races of a webhook", () => {
  let t: TestEngine;
  let deliveries: WebhookDeliveries;
  beforeEach(async () => {
    t = await TestEngine.start();
    deliveries = process();
  });
  afterEach(() => t.stop());

  /** What a server has of its webhooks in its memory: a new one is that of its next start. */
  function process(): WebhookDeliveries {
    const outbound = createOutbound({ clock: t.clock, allow: parseNetworks("127.0.0.1"), version: "test" });
    return deliverWebhooks(t.engine, outbound, (job) => recordBytes(t.engine, job));
  }

  /** Writes down what has ended, and begins what is due. */
  async function look(by = deliveries): Promise<void> {
    t.engine.waits.notify(DELIVERY_KEY);
    await by.job.run(false);
  }

  async function running(webhook: string): Promise<string> {
    const { id } = await submit(t.engine, {
      endpoint: t.endpoint,
      kind: "run",
      body: Buffer.from('{"input":{}}'),
      s3Config: undefined,
      webhook: Buffer.from(JSON.stringify(webhook)),
      policy: {},
      retention: 0,
      idempotency: undefined,
    });
    await t.take(t.worker("a"));
    return id;
  }

  async function failed(webhook: string): Promise<string> {
    const job = await running(webhook);
    const error = Buffer.from('"no"');
    await report(t.engine, { worker: t.worker("a"), job, attempt: undefined, output: undefined, error });
    return job;
  }

  /** Resolves when an attempt that has just begun has ended: its outcome is in the memory of the server. */
  async function untilEnded(): Promise<void> {
    const signalled = t.engine.waits.open(DELIVERY_KEY);
    await signalled.next(Infinity);
    signalled.close();
  }

  async function listed() {
    const page = await t.engine.store.deliveries(t.endpoint, undefined, undefined, 9, 9);
    return page.deliveries;
  }

  test("R18, crash first: a receiver that acknowledged is called once more, with the same id", async () => {
    await using receiver = await WebhookReceiver.start();
    await failed(receiver.url());
    await look();
    await untilEnded();
    // Killed here: what its memory holds is lost, and the next start makes the attempt again.
    const next = process();
    await look(next);
    await untilEnded();
    await look(next);

    const [first, second] = receiver.calls;
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"] ?? "");
    expect(second?.body).toBe(first?.body ?? "");
    expect(await listed()).toMatchObject([{ state: "DELIVERED", attempts: 1, started: 2 }]);
    // One that was not dead, but only slow, changes nothing any more.
    await look();
    expect(await listed()).toMatchObject([{ state: "DELIVERED", attempts: 1, started: 2 }]);
  });

  test("R18, mark first: the receiver is not called again", async () => {
    await using receiver = await WebhookReceiver.start();
    await failed(receiver.url());
    await look();
    await untilEnded();
    await look();
    const next = process();
    await look(next);
    await look(next);

    expect(receiver.calls).toHaveLength(1);
    expect(await listed()).toMatchObject([{ state: "DELIVERED", attempts: 1, started: 1 }]);
  });

  /** A job whose first attempt at its webhook has failed, and whose second is due now. */
  async function triedOnce(receiver: WebhookReceiver): Promise<string> {
    const job = await failed(receiver.url());
    await look();
    await untilEnded();
    await look();
    await t.clock.advance(PAUSE);
    return job;
  }

  const refusing = () => WebhookReceiver.start((response) => response.writeHead(500).end());

  function expectSameBody({ calls }: WebhookReceiver): void {
    const [first, second] = calls;
    expect(JSON.parse(first?.body ?? "")).toMatchObject({ status: "FAILED", error: "no" });
    expect(second?.body).toBe(first?.body ?? "");
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"] ?? "");
  }

  const orders = [
    ["retry", "R19, retry first: the second attempt has the body of the end, not of the job as it is"],
    ["claimDeliveries", "R19, attempt first: a retry takes nothing from an attempt under way"],
  ] as const;
  for (const [first, title] of orders) {
    test(title, async () => {
      await using receiver = await refusing();
      const job = await triedOnce(receiver);
      const second = first === "retry" ? "claimDeliveries" : "retry";
      t.engine.waits.notify(DELIVERY_KEY);
      await inOrder(t.engine.store, [first, second], () => [
        retry(t.engine, t.endpoint, job),
        deliveries.job.run(false),
      ]);
      await untilEnded();
      expectSameBody(receiver);
      expect((await t.status(job)).state).toBe("IN_QUEUE");
    });
  }

  test("R19, expiry first: the end of the retention does not lose the second attempt", async () => {
    await using receiver = await refusing();
    const job = await triedOnce(receiver);
    // Its retention is a minute.
    await t.clock.advance(60_000);
    await forgetExpired(t.engine);
    await expect(t.status(job)).rejects.toMatchObject({ code: "JOB_NOT_FOUND" });
    await look();
    await untilEnded();
    expectSameBody(receiver);
  });

  const enders = [
    ["complete", "cancel", "COMPLETED"],
    ["cancel", "complete", "CANCELLED"],
  ] as const;
  for (const [first, second, state] of enders) {
    test(`P19: of ${first} and ${second} at once the first leaves the only webhook`, async () => {
      await using receiver = await WebhookReceiver.start();
      const job = await running(receiver.url());
      await inOrder(t.engine.store, [first, second], () => [
        t.complete(t.worker("a"), job),
        cancel(t.engine, t.endpoint, job),
      ]);
      await look();
      await untilEnded();
      expect(await listed()).toMatchObject([{ jobState: state }]);
      expect(JSON.parse(receiver.calls[0]?.body ?? "")).toMatchObject({ id: job, status: state });
    });
  }
});
