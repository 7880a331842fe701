import { expect, test } from "bun:test";
import { type Access, DEFAULT_ACCOUNT } from "../../src/domain/account.ts";
import { digestOf } from "../../src/engine/digest.ts";
import { createDefaultAccount } from "../../src/engine/records/accounts.ts";
import { createKey, keysOf, rotateKey } from "../../src/engine/records/keys.ts";
import { TestEngine } from "../support/test-engine.ts";

const ADMIN: Access = { account: DEFAULT_ACCOUNT.id, scopes: ["admin"] };

test("the old text of a rotated key is valid for the overlap, or not at all without one", async () => {
  const t = await TestEngine.start();
  await createDefaultAccount(t.engine);
  const { record, text } = await createKey(t.engine, ADMIN, "a", ADMIN);
  const rotated = await rotateKey(t.engine, ADMIN, record.id, 1);
  const previous = { digest: digestOf(text), until: t.clock.now() + 1 };
  expect(rotated.record).toEqual({ ...record, digest: digestOf(rotated.text), previous });
  const again = await rotateKey(t.engine, ADMIN, record.id, 0);
  expect(again.record).toEqual({ ...record, digest: digestOf(again.text) });
  expect(t.engine.configuration.get("key", record.id)).toEqual(again.record);
  await t.stop();
});

test("keys are listed oldest first, those of one moment by their ids", async () => {
  const t = await TestEngine.start();
  await createDefaultAccount(t.engine);
  const made: string[] = [];
  for (const name of ["a", "b", "c", "d"]) {
    made.push((await createKey(t.engine, ADMIN, name, ADMIN)).record.id);
    if (name === "b") await t.clock.advance(1);
  }
  const ids = keysOf(t.engine, DEFAULT_ACCOUNT.id).map(({ id }) => id);
  expect(ids).toEqual([...made.slice(0, 2).toSorted(), ...made.slice(2).toSorted()]);
  expect(keysOf(t.engine, "other")).toEqual([]);
  await t.stop();
});
