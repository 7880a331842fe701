import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Payload } from "../../../src/domain/payload.ts";
import { findSqliteDamage } from "../../../src/store/sqlite/sqlite-find-damage.ts";
import { sqliteKeptData } from "../../../src/store/sqlite/sqlite-kept-data.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { bytes } from "../../model/bytes.ts";
import { endpointRecord } from "../../model/endpoint-record.ts";
import { forget } from "../../model/forget.ts";
import { stepsOf } from "../../model/steps.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../../support/temporary-directory.ts";

const JOBS = Array.from({ length: 20 }, (_, index) => `job-${index}`);
const steps = stepsOf("e");
const text = (chunk: Payload): string => Buffer.from(chunk as Uint8Array).toString();

describe("chunks of many jobs in one commit", () => {
  let directory: TemporaryDirectory;
  let store: Store;

  beforeEach(async () => {
    directory = await temporaryDirectory();
    store = await open();
    await store.apply([{ step: "put", record: endpointRecord("e") }], 1);
    await store.apply(
      JOBS.map((id, index) => steps.enqueue(id, index)),
      1,
    );
    await store.apply([steps.take("w", { count: JOBS.length })], 1);
  });

  afterEach(async () => {
    await store.close();
    await directory[Symbol.asyncDispose]();
  });

  const open = () =>
    openSqliteStore({
      directory: directory.path,
      onFatal(error) {
        throw error;
      },
    });

  /** One chunk of each job, with this text. */
  const appendToAll = (chunk: string) =>
    store.apply(
      JOBS.map((id) => steps.append(id, "w", [bytes(chunk)])),
      1,
    );

  async function read(id: string, from = 0): Promise<string[]> {
    const [answer] = await store.apply([steps.drain(id, { from })], 1);
    return (answer?.chunks ?? []).map(text);
  }

  /** The rows of both tables. */
  function rows(): { moved: number; fresh: number } {
    using database = new Database(join(directory.path, "forebay.db"), { readonly: true });
    const select = "SELECT (SELECT count(*) FROM chunk) AS moved, (SELECT count(*) FROM new_chunk) AS fresh";
    const found = database.query<{ moved: number; fresh: number }, []>(select).get();
    if (found === null) throw new Error("a count has a row");
    return found;
  }

  test("are written as they come, and read in order with those of other commits", async () => {
    await store.apply([steps.append("job-3", "w", [bytes("0")])], 1);
    await appendToAll("1");
    await store.apply([steps.append("job-3", "w", [bytes("2")])], 1);
    await appendToAll("3");
    expect(rows()).toEqual({ moved: 2, fresh: 40 });
    expect(await read("job-3")).toEqual(["0", "1", "2", "3"]);
    expect(await read("job-3", 2)).toEqual(["2", "3"]);
    expect(await read("job-4")).toEqual(["1", "3"]);

    await store.close();
    store = await open();
    expect(await read("job-3")).toEqual(["0", "1", "2", "3"]);
    await appendToAll("4");
    expect(await read("job-3", 3)).toEqual(["3", "4"]);
  });

  test("are read by the call that stores them", async () => {
    const appends = JOBS.map((id) => steps.append(id, "w", [bytes("0"), bytes("1")]));
    const answers = await store.apply([...appends, steps.drain("job-3", { from: 0 })], 1);
    const drained = answers.at(-1);
    expect(drained !== undefined && "chunks" in drained ? drained.chunks.map(text) : []).toEqual(["0", "1"]);
  });

  test("move on when there are a thousand", async () => {
    const sent: string[] = [];
    for (let n = 0; n < 60; n++) {
      sent.push(String(n));
      await appendToAll(String(n));
    }
    expect(rows()).toEqual({ moved: 1_040, fresh: 160 });
    for (const id of JOBS) expect(await read(id)).toEqual(sent);
  });

  test("of a call that fails are gone, and those before it stay", async () => {
    await appendToAll("0");
    const damaged = { file: "", size: 1, damage: "a test" };
    const calls = JOBS.map((id) => steps.append(id, "w", [bytes("1")]));
    const failed = store.apply([...calls, steps.append("job-3", "w", [damaged])], 1);
    await expect(failed).rejects.toThrow();
    expect(await read("job-3")).toEqual(["0"]);
    await appendToAll("2");
    expect(await read("job-3")).toEqual(["0", "2"]);
    expect(rows()).toEqual({ moved: 0, fresh: 40 });
  });

  test("go with an attempt that is given back, and with their job", async () => {
    await appendToAll("0");
    await store.apply([steps.giveBack("job-3", 1)], 1);
    expect(await read("job-3")).toEqual([]);
    expect(await read("job-4")).toEqual(["0"]);
    expect(rows()).toEqual({ moved: 19, fresh: 0 });

    await appendToAll("1");
    const ends = JOBS.map((id) => steps.finish("complete", id, { worker: "w", output: bytes("1") }));
    await store.apply(ends, 2);
    await store.apply([forget()], 1_000_000_000);
    expect(rows()).toEqual({ moved: 0, fresh: 0 });
  });

  test("are checked for damage, and move to another store", async () => {
    await appendToAll("0");
    await store.close();
    using database = new Database(join(directory.path, "forebay.db"));
    const flip = "UPDATE new_chunk SET content = cast(substr(content, 1, 8) || 'x' AS BLOB) WHERE seq = 4";
    database.run(flip);
    database.close();

    const damages = await Array.fromAsync(findSqliteDamage(directory.path, false));
    expect(damages.map(({ of }) => of)).toEqual([{ endpoint: "e", job: "job-3", what: "chunk 0" }]);
    const kept = await sqliteKeptData(directory.path);
    expect([...kept.chunks()].map(({ job }) => job)).toEqual(JOBS);
    await kept.close();
    store = await open();
  });
});
