import { expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import { join } from "node:path";
import { compactSqlite } from "../../../src/store/sqlite/sqlite-compact.ts";
import { lockDirectory } from "../../../src/store/sqlite/sqlite-open.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { type Queue, queueOn, START } from "../../contract/queue.ts";
import { forget } from "../../model/forget.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { until } from "../../support/until.ts";

const MB = 1_048_576;

function open(directory: string): Promise<Store> {
  return openSqliteStore({
    directory,
    onFatal(error) {
      throw error;
    },
  });
}

/** As many jobs as take 16 MB, all of them over. */
async function burst({ steps, send, sendAll }: Queue): Promise<void> {
  const body = new Uint8Array(2_000);
  const jobs = Array.from({ length: 6_000 }, (_, n) => `job-${n}`);
  await Promise.all(jobs.map((id, n) => send(steps.enqueue(id, n, { body }))));
  await Promise.all(jobs.map((id) => sendAll([steps.cancel(id)])));
}

test("after a burst the disk space comes back, of the log too, while a few jobs go on", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "forebay.db");
  const store = await open(directory.path);
  const queue = await queueOn(store);
  await burst(queue);
  expect(statSync(path).size + statSync(`${path}-wal`).size).toBeGreaterThan(16 * MB);
  await queue.send(forget(), START * 2);
  let position = 10_000;
  await until(
    "the space is back",
    async () => {
      await store.releaseSpace();
      await queue.send(queue.steps.enqueue(`later-${position}`, position++));
      return statSync(path).size < 6 * MB && statSync(`${path}-wal`).size < MB;
    },
    60_000,
  );
  expect((await queue.job("later-10000")).state).toBe("IN_QUEUE");
  await store.close();
});

test("a busy server gives nothing back meanwhile", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "forebay.db");
  const store = await open(directory.path);
  const queue = await queueOn(store);
  await burst(queue);
  await queue.send(forget(), START * 2);
  for (let n = 0; n < 201; n++) await queue.send(queue.steps.enqueue(`busy-${n}`, n));
  const pages = () => new Database(path, { readonly: true }).query("PRAGMA page_count").get();
  const before = pages();
  await store.releaseSpace();
  expect(pages()).toEqual(before);
  await store.close();
});

test("a small database of an earlier version is made so at the start, and keeps its jobs", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "forebay.db");
  const earlier = await open(directory.path);
  await (await queueOn(earlier)).send((await queueOn(earlier)).steps.enqueue("a", 1));
  await earlier.close();
  const database = new Database(path);
  database.run("PRAGMA auto_vacuum = NONE");
  database.run("VACUUM");
  expect(database.query("PRAGMA auto_vacuum").get()).toEqual({ auto_vacuum: 0 });
  database.close();

  const store = await open(directory.path);
  const reader = new Database(path, { readonly: true });
  expect(reader.query("PRAGMA auto_vacuum").get()).toEqual({ auto_vacuum: 2 });
  expect(reader.query("SELECT count(*) AS jobs FROM job").get()).toEqual({ jobs: 1 });
  reader.close();
  await store.close();
});

test("forebay compact rewrites a database that no server uses, and refuses one that is in use", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "forebay.db");
  const release = lockDirectory(join(directory.path, "lock.db"), directory.path, "");
  const store = await open(directory.path);
  const queue = await queueOn(store);
  await burst(queue);
  await queue.send(forget(), START * 2);
  await queue.send(queue.steps.enqueue("a", 1));
  await expect(compactSqlite(directory.path)).rejects.toThrow("another Forebay server is using the data");
  await store.close();
  release();

  const { before, after } = await compactSqlite(directory.path);

  expect(before).toBeGreaterThan(10 * MB);
  expect(after).toBe(statSync(path).size);
  expect(after).toBeLessThan(MB);
  const again = await open(directory.path);
  expect((await again.job(queue.endpoint, "a"))?.state).toBe("IN_QUEUE");
  await again.close();
});

test("forebay compact says where there is nothing to rewrite", async () => {
  await using directory = await temporaryDirectory();
  await expect(compactSqlite(directory.path)).rejects.toThrow("has no data of Forebay");
});
