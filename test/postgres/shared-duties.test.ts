import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LentDatabase } from "../support/postgres-server.ts";
import { ServerProcess } from "../support/server-process.ts";
import { suiteDatabases } from "../support/suite-postgres.ts";
import { until } from "../support/until.ts";

/** How long after a server has died another one does what it did, ms. */
const PROMISE = 5_000;

describe("duties that one server does for all", () => {
  const postgres = suiteDatabases();
  let directory: string;
  let database: LentDatabase;
  let servers: ServerProcess[];

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), "forebay-duties-"));
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

  test("the duties of a killed server are another's within 5 s", async () => {
    const [a] = [await start("a"), await start("b")];
    const first = (await holderOf())?.server;
    await a.kill();
    await until("they are another's", async () => (await holderOf())?.server !== first, PROMISE);
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

  async function start(name: string): Promise<ServerProcess> {
    const server = await ServerProcess.start({
      commands: { silent: ["sleep", "1000"], broken: ["false"] },
      flags: {
        "database-url": database.url,
        "secret-key": "the same",
        data: join(directory, name),
        demo: "true",
      },
    });
    servers.push(server);
    return server;
  }

  async function workersHeard(): Promise<string[]> {
    const rows = await inDatabase<{ worker: string }>("SELECT worker FROM forebay.contact");
    return rows.map(({ worker }) => worker);
  }

  async function holderOf() {
    const [row] = await inDatabase<{ server: string; until: number }>(
      "SELECT server, until::float8 AS until FROM forebay.duty",
    );
    return row;
  }

  function inDatabase<Row>(text: string): Promise<Row[]> {
    return postgres().run<Row>(text, new URL(database.url).pathname.slice(1));
  }
});

// oxlint-disable-next-line typescript/no-explicit-any -- records of any shape
async function hello(server: ServerProcess): Promise<any> {
  const { json } = await server.post("/v2/hello/runsync?wait=5000", { input: { name: "you" } });
  return json;
}
