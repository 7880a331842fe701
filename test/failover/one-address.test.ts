import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import type { Store } from "../../src/store/store.ts";
import { type Queue, queueOn } from "../contract/queue.ts";
import { PostgresPair } from "../support/postgres-pair.ts";
import { storeOptions } from "../support/postgres-store-options.ts";
import { rejection } from "../support/rejection.ts";
import { RoundRobin } from "../support/round-robin.ts";
import { until } from "../support/until.ts";

describe("one address that follows the primary", () => {
  let pair: PostgresPair;
  let address: RoundRobin;
  let leadsTo: string;
  let store: Store;
  let queue: Queue;
  beforeEach(async () => {
    pair = await PostgresPair.start();
    leadsTo = pair.primaryUrl;
    address = await RoundRobin.start(() => [Number(new URL(leadsTo).port)]);
    const url = new URL(pair.primaryUrl);
    url.port = new URL(address.url).port;
    store = await openPostgresStore(storeOptions(url.href));
    queue = await queueOn(store);
  });
  afterEach(async () => {
    await store.close();
    await address[Symbol.asyncDispose]();
    await pair[Symbol.asyncDispose]();
  });

  test("P1: while it still leads to a standby nothing is read there; then all goes on", async () => {
    await queue.send(queue.steps.enqueue("before", 1));
    await pair.failOver();
    await pair.startStandby();
    expect(leadsTo).toBe(pair.standbyUrl);

    // The first failures are of connections that were lost.
    for (let call = 0; call < 10; call++) {
      expect(await rejection(store.counts(queue.endpoint))).toContain("does not answer");
      expect(await rejection(queue.send(queue.steps.enqueue("during", 2)))).toContain("does not answer");
    }
    leadsTo = pair.primaryUrl;
    const counts = await until("it is read again", () => store.counts(queue.endpoint).catch(() => undefined));
    expect(counts).toMatchObject({ queued: 1 });
    await until("jobs are taken again", () =>
      queue.send(queue.steps.enqueue("after", 3)).then(
        () => true,
        () => false,
      ),
    );
  });

  test("a server that gets only two standbys says that it needs the primary", async () => {
    const standby = new URL(pair.standbyUrl);
    const twice = pair.standbyUrl.replace(standby.host, `${standby.host},${standby.host}`);
    expect(await rejection(openPostgresStore(storeOptions(twice)))).toContain("Give the URL of the primary");
    expect(await rejection(openPostgresStore(storeOptions(standby.href)))).toContain("read-only");
  });
});
