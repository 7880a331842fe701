import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { LentDatabase } from "../support/postgres-server.ts";
import { ServerProcess } from "../support/server-process.ts";
import { suiteDatabases } from "../support/suite-postgres.ts";
import { TestWorker } from "../support/test-worker.ts";
import { ENV, type Filled, LARGE, readServer, S3 } from "./fill-server.ts";
import { COMMANDS, fixtures, layDirectory, newDirectory, SECRET_KEY, statementsOf } from "./fixtures.ts";
import { SHIFT_TIMES } from "./shift-times.ts";

const postgres = suiteDatabases();
const secrets = { "secret-key": SECRET_KEY };
let directory: string;
let server: ServerProcess | undefined;
let database: LentDatabase | undefined;

beforeEach(() => {
  directory = newDirectory();
});
afterEach(async () => {
  await server?.stop();
  await database?.giveBack();
  [server, database] = [undefined, undefined];
  rmSync(directory, { recursive: true });
});

describe.each(fixtures())("data of version $version", (fixture) => {
  test("a directory opens: every record is read, and the jobs go on", async () => {
    const filled = fixture.filled.directory;
    const data = join(directory, "data");
    layDirectory(fixture, data);
    const wallClock = filled.at - Date.now();
    server = await ServerProcess.start({
      hasOwnWallClock: true,
      wallClock,
      commands: COMMANDS,
      flags: { data, ...secrets },
    });
    await holdsAll(server, filled);
    await goesOn(server, filled);
  }, 60_000);

  test("a PostgreSQL opens: every record is read, and the jobs go on", async () => {
    const filled = fixture.filled.postgres;
    database = await postgres().lendDatabase();
    const name = new URL(database.url).pathname.slice(1);
    await postgres().run(statementsOf(fixture), name);
    await postgres().run(SHIFT_TIMES(Date.now() - filled.at), name);
    server = await ServerProcess.start({
      commands: COMMANDS,
      flags: { "database-url": database.url, ...secrets },
    });
    await holdsAll(server, filled);
    await goesOn(server, filled);
  }, 60_000);
});

async function holdsAll(opened: ServerProcess, filled: Filled): Promise<void> {
  const answers = await readServer(opened, filled);
  for (const [path, answer] of Object.entries(filled.answers)) {
    expect({ path, answer: timeless(answers[path]) }).toMatchObject({ path, answer: timeless(answer) });
  }
  expect(answers[`/v1/templates/${filled.template}`]).toMatchObject({ env: ENV });
  const { json } = await opened.get(`/v1/endpoints/${filled.endpoint}/webhook-secret`);
  expect(json.secret).toBe(filled.webhookSecret);
  const theirs = await opened.get("/v1/endpoints", { authorization: `Bearer ${filled.key}` });
  expect([theirs.status, theirs.json]).toEqual([200, []]);
}

async function goesOn(opened: ServerProcess, filled: Filled): Promise<void> {
  const { endpoint, jobs } = filled;
  const running = jobs["running"] ?? "";
  const worker = workerAt(opened.url, filled);
  expect((await worker.ping([running])).status).toBe(200);
  await worker.stream(running, { output: "later" });
  await worker.done(running, { output: "done at last" });
  expect(await opened.status(endpoint, running)).toMatchObject({
    status: "COMPLETED",
    output: "done at last",
  });
  const taken = [];
  for (let left = 4; left > 0; left--) {
    const { json } = await worker.take();
    taken.push(json);
    await worker.done(json.id, { output: json.input });
  }
  expect(taken.map(({ id }) => id)).toEqual(["waiting", "input", "secret", "keyed"].map((n) => jobs[n]));
  expect(taken[1].input).toEqual({ text: LARGE });
  expect(taken[2].s3Config).toEqual(S3);
  const again = await opened.post(
    `/v2/${endpoint}/run`,
    { input: { n: "keyed" } },
    { "idempotency-key": "once" },
  );
  expect(again.json).toEqual({ id: jobs["keyed"], status: "COMPLETED" });
  expect((await opened.post(`/v2/${endpoint}/retry/${jobs["failed"]}`)).json.status).toBe("IN_QUEUE");
  const fresh = await opened.run(endpoint, { n: "fresh" });
  const ids = [(await worker.take()).json.id, (await worker.take()).json.id];
  expect(ids).toEqual([jobs["failed"], fresh]);
}

/** The fixture's worker, which calls the server where it is now. */
function workerAt(url: string, { worker: { id, env } }: Filled): TestWorker {
  const moved = Object.entries(env).map(([name, value]) => [
    name,
    value.replace(/^http:\/\/127\.0\.0\.1:\d+/, url),
  ]);
  return new TestWorker(Object.fromEntries(moved), id);
}

/** Without instants: those of a database were moved. */
function timeless(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer).replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"time"'));
}
