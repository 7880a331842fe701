import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Finding } from "../../src/doctor/finding.ts";
import { changeInDirectory, flip, type Place, REMOVED } from "../support/damage.ts";
import { ForebayCommand } from "../support/forebay-command.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../support/temporary-directory.ts";
import { TestServer } from "../support/test-server.ts";

const LARGE = { text: "x".repeat(100_000) };
const MEDIUM = { text: "x".repeat(5_000) };

describe("forebay doctor looks at stored payloads", () => {
  let root: TemporaryDirectory;
  let data: string;
  let server: TestServer;
  let isRunning: boolean;
  let endpoint: string;
  let jobs: Record<"waiting" | "file" | "done" | "whole", string>;

  beforeEach(async () => {
    root = await temporaryDirectory();
    data = join(root.path, "data");
    server = await TestServer.start({ flags: { data } });
    isRunning = true;
    endpoint = await server.endpoint();
    const worker = await server.worker(endpoint);
    const done = await server.run(endpoint, { n: 1 });
    await worker.take();
    await worker.stream(done, { output: LARGE });
    await worker.done(done, { output: MEDIUM });
    jobs = {
      done,
      waiting: await server.run(endpoint, { n: 2 }),
      file: await server.run(endpoint, LARGE),
      whole: await server.run(endpoint, LARGE),
    };
  });
  afterEach(async () => {
    await stop();
    await root[Symbol.asyncDispose]();
  });

  async function stop(): Promise<void> {
    if (isRunning) await server.forebay.stop();
    isRunning = false;
  }

  const damage = (job: string, of: Place["of"], change = flip(-3)) =>
    changeInDirectory(data, { endpoint, job, of }, change);

  async function findings(): Promise<Finding[]> {
    const command = new ForebayCommand(["doctor", "--data", data, "--port", "0", "--json"]);
    const { stdout } = await command.ended();
    const all: Finding[] = JSON.parse(stdout).findings;
    return all.filter(({ part }) => part === "payloads");
  }

  test("reports nothing if they are whole, with a running server and without one", async () => {
    const fine = [{ part: "payloads", state: "ok", says: "all are intact" } as const];
    expect(await findings()).toEqual(fine);
    await stop();
    expect(await findings()).toEqual(fine);
  });

  test("each damaged one is listed, with its job and file, and nothing is changed", async () => {
    await damage(jobs.waiting, "body");
    await damage(jobs.file, "body", REMOVED);
    await damage(jobs.done, "output");
    await damage(jobs.done, 0);
    const expected = [
      `the output of job ${jobs.done} (endpoint ${endpoint}): row `,
      `the input of job ${jobs.waiting} (endpoint ${endpoint}): a payload in the row of its job is not what`,
      `the input of job ${jobs.file} (endpoint ${endpoint}): ${join(data, "payloads")}/`,
      `chunk 0 of job ${jobs.done} (endpoint ${endpoint}): ${join(data, "payloads")}/`,
    ];
    for (const isBeside of [true, false]) {
      if (!isBeside) await stop();
      const before = isBeside ? undefined : traceOf(data);
      const found = await findings();
      expect(found.map(({ state }) => state)).toEqual(["fault", "fault", "fault", "fault"]);
      for (const [index, says] of expected.entries()) expect(found[index]?.says).toStartWith(says);
      for (const { mend } of found) expect(mend).toContain("backup");
      if (before !== undefined) expect(traceOf(data)).toEqual(before);
    }
  });

  test("a damaged page of the database is reported, with what to do", async () => {
    await stop();
    const path = join(data, "forebay.db");
    const page = pageOf(path, "job_held");
    await using file = await open(path, "r+");
    await file.write(Buffer.alloc(200, 0xff), 0, 200, page + 8);

    const found = await findings();
    expect(found[0]?.state).toBe("fault");
    expect(found[0]?.says).toContain(path);
    expect(found[0]?.mend).toMatch(/restore a backup|run the command again/);
  });

  test("a row with an impossible job is reported", async () => {
    using database = new Database(join(data, "forebay.db"));
    database.run("UPDATE job SET chunks = 0, cursor = 1 WHERE id = ?1", [jobs.waiting]);

    const found = await findings();
    expect(found).toHaveLength(1);
    expect(found[0]?.says).toStartWith(`the row of job ${jobs.waiting} (endpoint ${endpoint}): row `);
    expect(found[0]?.says).toEndWith("breaks a promise (the cursor is within the chunks)");
  });

  test("so many that nobody reads them all are counted", async () => {
    const ids = [];
    for (let n = 0; n < 110; n++) ids.push(await server.run(endpoint, { n }));
    for (const id of ids) await damage(id, "body");

    const found = await findings();
    expect(found).toHaveLength(101);
    expect(found.at(-1)?.says).toBe("10 more are damaged");
  });

  test("files are read one at a time, and none is left behind", async () => {
    await findings();
    expect(await readdir(join(data, "payloads"))).toHaveLength(3);
  });
});

/** Where the root page of a table or index begins in the file. */
function pageOf(path: string, name: string): number {
  using database = new Database(path);
  const row = database
    .query<{ rootpage: number }, [string]>("SELECT rootpage FROM sqlite_schema WHERE name = ?1")
    .get(name);
  return ((row?.rootpage ?? 1) - 1) * 4_096;
}

/** Every file with its content and times. */
function traceOf(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((name) => {
      const { mtimeMs, mode, size } = statSync(join(directory, name));
      const isFile = statSync(join(directory, name)).isFile();
      const content = isFile ? Bun.hash.crc32(readFileSync(join(directory, name))) : 0;
      return `${name} ${mtimeMs} ${mode} ${size} ${content}`;
    });
}
