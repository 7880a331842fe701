import { expect, test } from "bun:test";
import type { Step } from "../../../src/store/steps.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { endpointRecord } from "../../model/endpoint-record.ts";
import { stepsOf } from "../../model/steps.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

test("heartbeats wait a little for calls that share their commit; other calls do not wait", async () => {
  await using directory = await temporaryDirectory();
  const clock = new ManualClock();
  const steps = stepsOf("e");
  let commits = 0;
  const store = await openSqliteStore({
    directory: directory.path,
    onFatal(error) {
      throw error;
    },
    onTransaction() {
      commits++;
      return () => undefined;
    },
    after: (ms, action) => clock.after(ms, action),
  });

  /** How many commits there are until these calls, each of a round of its own, are stored. */
  async function commitsOf(...calls: Step[]): Promise<number> {
    const before = commits;
    const stored: Promise<unknown>[] = [];
    for (const call of calls) {
      stored.push(store.apply([call], 1));
      await new Promise(setImmediate);
    }
    await clock.advance(20);
    await Promise.all(stored);
    return commits - before;
  }
  const put = { step: "put", record: endpointRecord("e") } as const;
  const ping = steps.seen("a", [], 0, { call: "ping" });
  const hangUp = steps.seen("a", { kind: "nothing" }, 0, { call: "hangUp" });
  const denial = steps.seen("a", { kind: "none" });
  expect(await commitsOf(ping, steps.seen("b", { kind: "nothing" }), ping)).toBe(1);
  expect(await commitsOf(ping, put, ping)).toBe(2);
  expect(await commitsOf(hangUp, denial, put)).toBe(3);
  await store.close();
});
