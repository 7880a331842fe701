import { describe, expect, test } from "bun:test";
import { leadership } from "../../src/background/leadership.ts";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { SHORT_DURATIONS } from "../crash-server/short-durations.ts";
import { allLeaderJobsSeen, LEADER_JOB_SIGNS } from "../support/leader-job-signs.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { MemoryLog } from "../support/memory-log.ts";
import { storeOptions } from "../support/postgres-store-options.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";
import { sharedServers } from "./shared-servers.ts";

/** How long after the death of the leader another server is the leader, ms. */
const PROMISE = 5_000;

/** What a new leader logs. */
const TAKEN = "this server is the leader now";

/** From one run of a background job to the next, ms. */
const EVERY = 250;

describe("background jobs of the leader", () => {
  const servers = sharedServers();

  test("two servers start the workers of an endpoint once, and a killed one's are replaced", async () => {
    const [a, b] = [await start(), await start()];
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

  test("each runs on one of two servers, and on the other one if that is killed", async () => {
    const [a, b] = [await start(SHORT_DURATIONS), await start(SHORT_DURATIONS)];
    const witness = { client: b, ask: (statement: string) => servers.ask(statement) };
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
    const opened = await Promise.all(names.map((name) => openLeadership(name, clock, servers.databaseUrl())));
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
    const both = [await start(), await start()] as const;
    const [a] = both;
    const silent = await a.commandEndpoint("silent", { workersMax: 1 });
    const broken = await a.commandEndpoint("broken");
    for (let n = 0; n < 3; n++) await a.run(silent);
    await a.run(broken);

    for (const server of both) {
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

  const start = (flags: Record<string, string> = {}): Promise<ServerProcess> =>
    servers.startProcess({
      commands: { silent: ["sleep", "1000"], broken: ["false"] },
      flags: { demo: "true", ...flags },
    });

  async function workersHeard(): Promise<string[]> {
    const rows = await servers.ask<{ worker: string }>("SELECT worker FROM forebay.contact");
    return rows.map(({ worker }) => worker);
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
