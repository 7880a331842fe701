import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { forget } from "../../model/forget.ts";
import { rejection } from "../../support/rejection.ts";
import { isStored } from "../../../src/domain/payload.ts";
import { SCHEMA_VERSION, schemaVersion } from "../../../src/store/sqlite/sqlite-schema.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { endpointRecord } from "../../model/endpoint-record.ts";
import { stepsOf } from "../../model/steps.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const LARGE = new Uint8Array(100_000);

describe("a closed store", () => {
  test("P22: holds no file, and its log is in the database", async () => {
    await using directory = await temporaryDirectory();
    const store = await open(directory.path);
    // Enough commits for the thread that makes checkpoints to have the database open too.
    for (let n = 0; n < 250; n++) await store.apply([forget(1)], n * 1_000);
    await store.close();

    expect((await readdir(directory.path)).toSorted()).toEqual([
      "forebay.db",
      "forebay.db-stopped",
      "payloads",
    ]);
    if (existsSync("/proc/self/fd")) expect(openFiles().join("\n")).not.toContain(directory.path);
  });
});

describe("the write-ahead log", () => {
  test("P20: it does not grow with what is written", async () => {
    await using directory = await temporaryDirectory();
    const steps = stepsOf("e");
    const store = await open(directory.path);
    await store.apply([{ step: "put", record: endpointRecord("e") }], 1);
    let largest = 0;
    for (let n = 0; n < 1_000; n++) {
      await store.apply([steps.enqueue(`job-${n}`, n, { body: new Uint8Array(60_000) })], 1);
      largest = Math.max(largest, Bun.file(join(directory.path, "forebay.db-wal")).size);
    }
    await store.close();

    const written = 1_000 * 60_000;
    expect(largest).toBeLessThan(written / 2);
  }, 60_000);
});

describe("records", () => {
  test("4a: the rows of removed ones are gone after the next opening; changes are numbered on", async () => {
    await using directory = await temporaryDirectory();
    const first = await open(directory.path);
    for (const id of ["a", "b", "c"]) {
      await first.apply([{ step: "put", record: endpointRecord(id) }], 1);
      await first.apply([{ step: "remove", kind: "endpoint", id }], 1);
    }
    const last = (await first.changesSince(0)).at(-1)?.change ?? 0;
    await first.close();

    const second = await open(directory.path);
    expect(await second.changesSince(0)).toEqual([
      { change: last, kind: "endpoint", id: "c", record: undefined },
    ]);
    await second.apply([{ step: "put", record: endpointRecord("d") }], 1);
    expect((await second.changesSince(last)).map(({ id }) => id)).toEqual(["d"]);
    await second.close();

    const third = await open(directory.path);
    expect((await third.changesSince(0)).map(({ id }) => id)).toEqual(["d"]);
    await third.close();
  });
});

describe("a directory that cannot be opened", () => {
  test("P1: data of the schema before is brought to this one: bytes are counted", async () => {
    await using directory = await temporaryDirectory();
    const steps = stepsOf("e");
    let store = await open(directory.path);
    await store.apply([{ step: "put", record: endpointRecord("e") }], 1);
    const body = await store.writePayload(LARGE);
    const chunk = await store.writePayload(LARGE);
    await store.apply(
      [
        steps.enqueue("running", 1),
        steps.take("worker"),
        steps.append("running", "worker", [new Uint8Array(5), new Uint8Array(10_000), chunk]),
        steps.enqueue("small", 2, { body: new Uint8Array(10), secret: new Uint8Array(5) }),
        steps.enqueue("row", 3, { body: new Uint8Array(10_000) }),
        steps.enqueue("file", 4, { body }),
      ],
      1,
    );
    await store.close();
    const database = new Database(join(directory.path, "forebay.db"));
    for (const statement of [
      "DROP INDEX job_kept; DROP TABLE statistics; DROP TABLE attempt; DROP TABLE owner",
      "DROP TABLE required; DROP TABLE new_chunk; DROP TABLE allocation; DROP TABLE past_worker",
      "DROP TABLE history; DROP TABLE history_size; ALTER TABLE job DROP COLUMN tags",
      "ALTER TABLE job DROP COLUMN bytes; ALTER TABLE counter DROP COLUMN queued_bytes",
      "ALTER TABLE job DROP COLUMN chunk_bytes; ALTER TABLE payload DROP COLUMN names",
      "ALTER TABLE job DROP COLUMN receiver; ALTER TABLE job DROP COLUMN webhook; DROP TABLE delivery",
      // Payloads had no digest then.
      "UPDATE job SET body = substr(body, 9) WHERE typeof(body) = 'blob'",
      "UPDATE job SET secret = substr(secret, 9) WHERE typeof(secret) = 'blob'",
      "UPDATE payload SET bytes = substr(bytes, 9) WHERE bytes IS NOT NULL",
      "UPDATE chunk SET content = substr(content, 9) WHERE typeof(content) = 'blob'",
      "ALTER TABLE contact DROP COLUMN pings; ALTER TABLE contact DROP COLUMN hung_up",
      "ALTER TABLE contact DROP COLUMN stray_job; ALTER TABLE contact DROP COLUMN stray_since",
      "PRAGMA user_version = 2",
    ])
      database.run(statement);
    database.close();

    store = await open(directory.path);
    expect(await store.counts("e")).toMatchObject({ queued: 3, queuedBytes: 110_015 });
    await store.apply([steps.cancel("file"), steps.cancel("small")], 1);
    expect(await store.counts("e")).toMatchObject({ queued: 1, queuedBytes: 10_000 });
    const limit = { bytes: 110_006, otherwise: steps.finish("cutOff", "running", { worker: "worker" }) };
    const step = steps.append("running", "worker", [new Uint8Array(1)], undefined, limit);
    const accepted = (await store.apply([step, step], 1)).map((answer) => answer.accepted);
    expect(accepted).toEqual([true, false]);
    await store.close();
    using migrated = new Database(join(directory.path, "forebay.db"), { readonly: true });
    expect(schemaVersion(migrated)).toBe(SCHEMA_VERSION);
  });

  test("P1: an empty table of jobs loses its CHECKs, one with jobs keeps them, with its data", async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, "forebay.db");
    await (await open(directory.path)).close();
    const unchecked = tableOfJobs(path);
    expect(unchecked).not.toContain("CHECK");

    const withTags = unchecked.replace(/\)\s*STRICT$/, ", CHECK (attempt >= losses)) STRICT");
    const checked = withTags.replace(", tags TEXT", "");
    const database = new Database(path);
    database.run("DROP TABLE new_chunk; DROP TABLE allocation; DROP TABLE past_worker");
    database.run("DROP TABLE history; DROP TABLE history_size");
    database.run(`DROP TABLE job; ${checked}`);
    database.run("PRAGMA user_version = 12");
    for (const index of [
      "held ON job (endpoint, holder, position)",
      "due ON job (due_at)",
      "kept ON job (due_at)",
    ])
      database.run(`CREATE INDEX job_${index}`);
    database.run(`
      INSERT INTO job (endpoint, id, state, position, holder, queued_at, ttl, expires_at, execution_timeout,
                       retention, due_at, low_priority, beside, body)
      VALUES ('e', 'a', 'IN_QUEUE', 1, '', 1, 1, 1, 1, 1, 1, 0, 0, x'7b7d')`);
    database.close();
    const store = await open(directory.path);
    expect((await store.job("e", "a"))?.state).toBe("IN_QUEUE");
    await store.close();
    expect(tableOfJobs(path)).toBe(withTags);
  });

  test("P1: data of a newer schema is refused, left alone, and not held", async () => {
    await using directory = await temporaryDirectory();
    await (await open(directory.path)).close();
    const version = setSchemaVersion(directory.path, 1_000);

    expect(await rejection(open(directory.path))).toContain(
      "This data was written by Forebay 7.8.9 or later (schema 1000). " +
        "Start Forebay 7.8.9 or newer, or restore a backup made before the upgrade.",
    );
    expect(setSchemaVersion(directory.path, version)).toBe(1_000);

    await (await open(directory.path)).close();
  });

  test("P22: after a file that is no database was refused, the directory is free", async () => {
    await using directory = await temporaryDirectory();
    await writeFile(
      join(directory.path, "forebay.db"),
      "this is no database, and not a small one either".repeat(99),
    );

    expect(await rejection(open(directory.path))).toContain("is not a SQLite database. Restore");
    expect(await rejection(open(directory.path))).toContain("is not a SQLite database. Restore");
  });
});

describe("payload files", () => {
  test("of a database that was lost are not removed as orphans: it is refused", async () => {
    await using directory = await temporaryDirectory();
    const steps = stepsOf("e");
    const store = await open(directory.path);
    await store.apply([{ step: "put", record: endpointRecord("e") }], 1);
    const body = await store.writePayload(LARGE);
    await store.apply([steps.enqueue("a", 1, { body })], 1);
    await store.close();
    for (const name of await readdir(directory.path)) {
      if (name !== "payloads") await rm(join(directory.path, name));
    }

    const refusal = await rejection(open(directory.path));
    expect(refusal).toStartWith(`${join(directory.path, "forebay.db")} is missing`);
    expect(await payloadFiles(directory.path)).toHaveLength(1);
    expect(await readdir(directory.path)).toEqual(["payloads"]);
  });

  test("invariant 5: opening removes the files that no row names, and no others", async () => {
    await using directory = await temporaryDirectory();
    const steps = stepsOf("e");
    const store = await open(directory.path);
    await store.apply([{ step: "put", record: endpointRecord("e") }], 1);
    const kept = await store.writePayload(LARGE);
    await store.apply([steps.enqueue("a", 1, { body: kept })], 1);
    await store.writePayload(LARGE);
    expect(await payloadFiles(directory.path)).toHaveLength(2);
    await store.close();

    await (await open(directory.path)).close();

    expect(await payloadFiles(directory.path)).toEqual([isStored(kept) ? kept.file : ""]);
  });

  test("4a: a job that goes takes its rows along, and its files before the store is closed", async () => {
    await using directory = await temporaryDirectory();
    const steps = stepsOf("e");
    const store = await open(directory.path);
    const large = () => store.writePayload(LARGE);
    const middle = new Uint8Array(3_000);
    await store.apply([{ step: "put", record: endpointRecord("e") }], 1);
    for (const [position, id] of ["purged", "forgotten", "retried"].entries()) {
      await store.apply([steps.enqueue(id, position, { body: await large(), secret: middle })], 1);
      if (id === "purged") await store.apply([steps.purge()], 1);
      else await store.apply([steps.take("w")], 1);
    }
    for (const id of ["forgotten", "retried"]) {
      await store.apply(
        [
          steps.append(id, "w", [await large(), middle]),
          steps.progress(id, "w", await large()),
          steps.progress(id, "w", middle),
          steps.finish("fail", id, { worker: "w", error: await large() }),
        ],
        1,
      );
    }
    await store.apply([steps.retry("retried", 9), steps.setTtl("forgotten", 2)], 1);
    await store.apply([forget(9)], 2);
    await store.close();

    expect(await payloadFiles(directory.path)).toHaveLength(1);
    const database = new Database(join(directory.path, "forebay.db"), { readonly: true });
    const left = database.query("SELECT file IS NULL AS isRow FROM payload ORDER BY isRow").all();
    const chunks = database.query("SELECT * FROM chunk").all();
    database.close();
    expect(left).toEqual([{ isRow: 0 }, { isRow: 1 }]);
    expect(chunks).toEqual([]);
  });
});

function open(directory: string): Promise<Store> {
  return openSqliteStore({
    directory,
    onFatal: (error) => {
      throw error;
    },
  });
}

function tableOfJobs(path: string): string {
  using database = new Database(path, { readonly: true });
  const table = "SELECT sql FROM sqlite_schema WHERE name = 'job'";
  return database.query<{ sql: string }, []>(table).get()?.sql ?? "";
}

/** Overwrites the version of the schema; the one that was there. */
function setSchemaVersion(directory: string, version: number): number {
  const database = new Database(join(directory, "forebay.db"));
  const found = database.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
  database.run(`PRAGMA user_version = ${version}`);
  database.run("UPDATE required SET version = '7.8.9'");
  database.close();
  return found;
}

/** The files that this process has open. */
function openFiles(): string[] {
  return readdirSync("/proc/self/fd").map((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      return ""; // that of the directory itself
    }
  });
}

function payloadFiles(directory: string): Promise<string[]> {
  return readdir(join(directory, "payloads"));
}
