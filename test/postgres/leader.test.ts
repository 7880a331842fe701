import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leadership } from "../../src/background/leadership.ts";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { SHORT_DURATIONS } from "../crash-server/short-durations.ts";
import { allLeaderJobsSeen, LEADER_JOB_SIGNS } from "../support/leader-job-signs.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { MemoryLog } from "../support/memory-log.ts";
import type { LentDatabase } from "../support/postgres-server.ts";
import { storeOptions } from "../support/postgres-store-options.ts";
import { ServerProcess } from "../support/server-process.ts";
import { suiteDatabases } from "../support/suite-postgres.ts";
import { until } from "../support/until.ts";

/** How long after the death of the leader another server is the leader, ms. */
const PROMISE = 5_000;

/** What a new leader logs. */
const TAKEN = "this server is the leader now";

/** From one run of a background job to the next, ms. */
const EVERY = 250;

describe("background jobs of the leader", () => {
  const postgres = suiteDatabases();
  let directory: string;
  let database: LentDatabase;
  let servers: ServerProcess[];

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), "forebay-leader-"));
    database = await postgres().lendDatabase();
    servers = [];
  });
  afterEach(async () => {
    for (const server of servers) await server.stop();
    await database.giveBack();
    rmSync(directory, { recursive: true });
  });

  test("two servers start the workers of an endpoint once, and a killed one's are replaced", async () => {
    const [a, b] = [await start("a"), await start("b")];
    await until("the example answers", async () => (await hello(a)).status === "COMPLETED");
    expect((await hello(b)).output).toEqual({ greeting: "Hello, you!" });
    const first = await workersHeard();
    expect(first).toHaveLength(1);

    await a.kill();
    await until(
      "the other server answers with a worker of its own",
      async () => {
        const { workerId } = await hello(b);
        return workerId !== undefined && !first.includes(workerId);
      },
      30_000,
    );
  });

  test("each of them runs on one of two servers, and on the other when that is killed", async () => {
    const [a, b] = [await start("a", SHORT_DURATIONS), await start("b", SHORT_DURATIONS)];
    const witness = { client: b, ask: (statement: string) => inDatabase(statement) };
    const [taken] = await until("a does them", () => a.logged(TAKEN).length > 0 && a.logged(TAKEN));
    // A new job of the leader needs a sign of its own.
    expect(String(taken?.["duties"]).split(", ").toSorted()).toEqual(
      Object.keys(LEADER_JOB_SIGNS).toSorted(),
    );
    await allLeaderJobsSeen(witness);
    expect([a.logged(TAKEN).length, b.logged(TAKEN).length]).toEqual([1, 0]);

    await a.kill();
    await until("b does them", () => b.logged(TAKEN).length > 0);
    await allLeaderJobsSeen(witness);
  });

  test("one server is the leader, and another one within 5 s if it stands still or resigns", async () => {
    const clock = new ManualClock();
    const names = ["a", "b", "c"];
    const opened = await Promise.all(names.map((name) => openLeadership(name, clock, database.url)));
    let holder: (typeof opened)[number] | undefined;
    let missing = 0;
    const rounds = async (count: number, asked: typeof opened): Promise<void> => {
      for (let round = 0; round < count; round++) {
        const before = opened.map(({ runs }) => runs());
        await Promise.all(asked.map(({ run }) => run()));
        const [doing, ...others] = opened.filter(({ runs }, index) => runs() !== before[index]);
        expect(others).toEqual([]);
        missing = doing === undefined ? missing + EVERY : 0;
        expect(missing).toBeLessThan(PROMISE);
        holder = doing ?? holder;
        await clock.advance(EVERY);
      }
    };
    await rounds(40, opened);
    const first = holder;
    await rounds(
      40,
      opened.filter((one) => one !== first),
    );
    expect(holder).not.toBe(first);
    const second = holder;
    await rounds(40, opened);
    expect(holder).toBe(second);
    await holder?.resign();
    await rounds(
      40,
      opened.filter((one) => one !== second),
    );
    expect(holder).not.toBe(second);
    for (const { store } of opened) await store.close();
  });

  test("2.7: health on each server counts the workers that one of them starts", async () => {
    const servers = [await start("a"), await start("b")];
    const [a] = servers;
    if (a === undefined) throw new Error("no server runs");
    const silent = await a.commandEndpoint("silent", { workersMax: 1 });
    const broken = await a.commandEndpoint("broken");
    for (let n = 0; n < 3; n++) await a.run(silent);
    await a.run(broken);

    for (const server of servers) {
      await until("a worker starts, and two more are wanted", async () => {
        const { status, json } = await server.get(`/v2/${silent}/health`);
        return status === 200 && json.workers.initializing === 1 && json.workers.throttled === 2;
      });
      await until("a worker cannot be started for a while", async () => {
        const { json } = await server.get(`/v2/${broken}/health`);
        return json.workers?.unhealthy === 1;
      });
    }
  });

  async function start(name: string, flags: Record<string, string> = {}): Promise<ServerProcess> {
    const server = await ServerProcess.start({
      commands: { silent: ["sleep", "1000"], broken: ["false"] },
      flags: {
        "database-url": database.url,
        "secret-key": "the same",
        data: join(directory, name),
        demo: "true",
        ...flags,
      },
    });
    servers.push(server);
    return server;
  }

  async function workersHeard(): Promise<string[]> {
    const rows = await inDatabase<{ worker: string }>("SELECT worker FROM forebay.contact");
    return rows.map(({ worker }) => worker);
  }

  function inDatabase<Row>(text: string): Promise<Row[]> {
    return postgres().run<Row>(text, new URL(database.url).pathname.slice(1));
  }
});

/** A server with nothing but one background job of the leader. */
async function openLeadership(server: string, clock: ManualClock, url: string) {
  const store = await openPostgresStore(storeOptions(url));
  let runs = 0;
  const job = {
    name: "test",
    every: EVERY,
    async run() {
      runs++;
    },
  };
  const { jobs, resign } = leadership({ server, store, clock, log: new MemoryLog() }, [job], () => undefined);
  return { store, runs: () => runs, run: async () => jobs[0]?.run(false), resign };
}

// oxlint-disable-next-line typescript/no-explicit-any -- records of any shape
async function hello(server: ServerProcess): Promise<any> {
  const { json } = await server.post("/v2/hello/runsync?wait=5000", { input: { name: "you" } });
  return json;
}
