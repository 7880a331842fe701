import { afterEach, beforeEach, expect, test } from "bun:test";
import { positionAt } from "../../src/domain/ids.ts";
import { purge } from "../../src/engine/purge.ts";
import { stepsOf } from "../model/steps.ts";
import { TestEngine } from "../support/test-engine.ts";

let t: TestEngine;

beforeEach(async () => {
  t = await TestEngine.start();
});

afterEach(() => t.stop());

test("P9: purge removes jobs from a server whose clock is ahead, too", async () => {
  const { store, clock } = t.engine;
  const ahead = clock.now() + 60_000;
  await store.apply([stepsOf(t.endpoint).enqueue("ahead", positionAt(ahead))], ahead);
  await t.submit();

  expect(await purge(t.engine, t.endpoint)).toBe(2);
  expect(await store.counts(t.endpoint)).toMatchObject({ queued: 0 });
});
