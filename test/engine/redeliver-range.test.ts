import { expect, test } from "bun:test";
import { submit } from "../../src/engine/submit.ts";
import { redeliverRange } from "../../src/engine/webhooks/deliveries.ts";
import { TestEngine } from "../support/test-engine.ts";

test("a range of webhooks includes jobs that ended at its beginning, and excludes its end", async () => {
  const t = await TestEngine.start();
  const endings: number[] = [];
  for (let n = 0; n < 4; n++) {
    await t.clock.advance(10);
    endings.push(t.clock.now());
    await complete(t);
  }
  const [, second = 0, third = 0, fourth = 0] = endings;
  const redelivered = (from: number, to: number) =>
    redeliverRange(t.engine, { endpoint: t.endpoint, state: "PENDING", from, to });
  expect(await redelivered(second, fourth)).toBe(2);
  expect(await redelivered(second + 1, fourth)).toBe(1);
  expect(await redelivered(second, third + 1)).toBe(2);
  expect(await redelivered(fourth, fourth + 1)).toBe(1);
  expect(await redelivered(third, third)).toBe(0);
  await t.stop();
});

/** A job with a webhook that ends now. */
async function complete(t: TestEngine): Promise<void> {
  const { id } = await submit(t.engine, {
    endpoint: t.endpoint,
    kind: "run",
    body: new TextEncoder().encode(`{"input":{}}`),
    s3Config: undefined,
    webhook: new TextEncoder().encode(`"http://203.0.113.1/"`),
    policy: {},
    retention: 0,
    idempotency: undefined,
  });
  await t.take(t.worker("a"));
  await t.complete(t.worker("a"), id);
}
