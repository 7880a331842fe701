import { expect, test } from "bun:test";
import { sealedWorld } from "../support/sealed-world.ts";
import { suiteDatabases } from "../support/suite-postgres.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";
import { LOOPBACK_ALLOWED, WebhookReceiver } from "../support/webhook-receiver.ts";

const postgres = suiteDatabases();

test("T8: a new key for two servers, one restart after the other; the old one is refused", async () => {
  const start = (key: string, previous = "") =>
    TestServer.start({
      flags: {
        "database-url": own.url,
        "secret-key": key,
        "secret-key-previous": previous,
        ...LOOPBACK_ALLOWED,
      },
    });
  await using receiver = await WebhookReceiver.start();
  const own = await postgres().lendDatabase();
  let [one, two] = [await start("old"), await start("old")];
  const world = await sealedWorld(one, receiver, 8);
  const restarted = async (server: TestServer, key: string, previous?: string) => {
    await server.stop();
    return start(key, previous);
  };
  one = await restarted(one, "old", "new");
  two = await restarted(two, "old", "new");
  one = await restarted(one, "new", "old");
  const early = await one.post("/v1/secrets/rotate", {});
  expect([early.json.code, early.json.error]).toEqual([
    "KEY_NOT_REPLACEABLE",
    expect.stringContaining("Another server"),
  ]);
  two = await restarted(two, "new", "old");
  const rotated = await until("both seal by the new key", async () => {
    const { status, json } = await one.post("/v1/secrets/rotate", {});
    return status === 200 && json;
  });
  expect(rotated).toEqual({ resealed: world.sealed, previousKeyRemoved: false });
  one = await restarted(one, "new");
  two = await restarted(two, "new");
  await world.opens(two);
  await world.isUsed(one);
  await Promise.all([one.stop(), two.stop()]);
  const started = start("old");
  expect(await started.catch((error: unknown) => String(error))).toContain("another key");
  await own.giveBack();
}, 60_000);
