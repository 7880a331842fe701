import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { PostgresPair } from "../support/postgres-pair.ts";
import { RAISED_LIMITS } from "../support/raised-limits.ts";
import { ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";

/** For so long the standby is away, ms: longer than anything waits for it. */
const AWAY = 22_000;

/** The 12 that a server has at most (docs/scale.md), and two commits that one has left which has ended. */
const MOST_CONNECTIONS = 14;

/** Bytes of what is submitted side by side: what lies in a row, and what lies in a table of its own. */
const SIZES = [10, 20, 30, 40, 100_000];

const CONNECTIONS =
  "SELECT count(*)::integer AS count FROM pg_stat_activity WHERE application_name = 'forebay'";

const LATEST_TIME = "SELECT latest::float8 AS latest FROM forebay.clock";

/** They write it once a second. ms */
const WRITTEN_TWICE = 1_500;

const WAITING = "SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

describe("a synchronous standby that is away", () => {
  let pair: PostgresPair;
  let servers: readonly [ServerProcess, ServerProcess];
  let endpoint: string;
  beforeEach(async () => {
    pair = await PostgresPair.start();
    const flags = { "database-url": pair.url, "secret-key": "the same" };
    servers = [await ServerProcess.start({ flags }), await ServerProcess.start({ flags })];
    endpoint = await servers[0].endpoint({ rateLimits: RAISED_LIMITS });
  });
  afterEach(async () => {
    await using end = new AsyncDisposableStack();
    end.use(pair);
    for (const server of servers) {
      // What could not be done meanwhile stands there.
      server.log.length = 0;
      end.defer(() => server.stop());
    }
  });

  test("P1: meanwhile calls are refused, reads go on, servers stop, few connections; it heals", async () => {
    const [stays, stops] = servers;
    const before = await stays.run(endpoint);
    await pair.killStandby();
    const [killed] = await pair.ask<{ latest: number }>(LATEST_TIME);
    await until("the servers go on to write what the time is", async () => {
      const [row] = await pair.ask<{ latest: number }>(LATEST_TIME);
      return row !== undefined && killed !== undefined && row.latest > killed.latest + WRITTEN_TWICE;
    });
    const over = AbortSignal.timeout(AWAY);
    const codes = new Set<unknown>();
    let refused = 0;
    let reads = 0;
    const submitter = async (server: ServerProcess, size: number): Promise<void> => {
      while (!over.aborted) {
        codes.add(await submit(server, size));
        refused++;
        await Bun.sleep(20);
      }
    };
    const reader = async (): Promise<void> => {
      while (!over.aborted) {
        expect((await stays.get("/healthz")).status).toBe(200);
        expect((await stays.status(endpoint, before)).status).toBe("IN_QUEUE");
        reads++;
        await Bun.sleep(50);
      }
    };
    const stopped = async (): Promise<void> => {
      const submission = submit(stops, 10).catch(() => undefined);
      await until("commits of all wait", async () => (await pair.ask(WAITING)).length >= 3);
      expect(await stops.end("SIGTERM")).toBe(0);
      await submission;
    };
    await Promise.all([...SIZES.map((size) => submitter(stays, size)), reader(), stopped()]);

    expect(codes).toEqual(new Set(["STORAGE_UNAVAILABLE"]));
    expect(refused).toBeGreaterThan(0);
    // They do not wait for the standby as commits do.
    expect(reads).toBeGreaterThan(refused);
    const [connections] = await pair.ask<{ count: number }>(CONNECTIONS);
    expect(connections?.count).toBeLessThanOrEqual(MOST_CONNECTIONS);
    await pair.startStandby();
    const isTaken = async (): Promise<boolean> => (await submit(stays, 10)) === undefined;
    await until("submissions are taken", isTaken);
  }, 120_000);

  /** The code of the refusal; undefined when it was taken. */
  async function submit(server: ServerProcess, size: number): Promise<unknown> {
    return (await server.post(`/v2/${endpoint}/run`, { input: { text: "x".repeat(size) } })).json.code;
  }
});
