import { expect, test } from "bun:test";
import { join } from "node:path";
import { closeDatabase, openDatabase, prepare } from "../../../src/store/sqlite/sqlite-driver.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

for (const [name, value, why] of [
  ["journal_mode", "wal", "readers do not wait"],
  ["synchronous", 2, "what was acknowledged survives a power cut"],
  ["mmap_size", 0, "an I/O error is an error, not a signal"],
  ["wal_autocheckpoint", 0, "no checkpoint runs inside a commit"],
] as const) {
  test(`P1: ${name} is ${value}: ${why}`, async () => {
    await using directory = await temporaryDirectory();
    const database = openDatabase(join(directory.path, "a.db"));
    const row = prepare<Record<string, unknown>, []>(database, `PRAGMA ${name}`).get();
    closeDatabase(database);

    expect(Object.values(row ?? {})).toEqual([value]);
  });
}

test("P22: a database that is closed with its statements leaves no log", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "a.db");
  const database = openDatabase(path);
  database.run("CREATE TABLE t (a)");
  prepare(database, "INSERT INTO t VALUES (1)").run();
  expect(await Bun.file(`${path}-wal`).exists()).toBe(true);

  closeDatabase(database);

  expect(await Bun.file(`${path}-wal`).exists()).toBe(false);
});
