import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PostgresPair } from "../support/postgres-pair.ts";
import { RAISED_LIMITS } from "../support/raised-limits.ts";
import { ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";

/** For so long the standby is away, ms: longer than anything waits for it. */
const AWAY = 30_000;

/** A commit is waited for 15 s; this is that and a busy machine. ms. */
const ANSWERED_WITHIN = 18_000;

/** What needs no commit is answered within, ms. */
const AT_ONCE = 1_000;

/** When the standby is back, all works within, ms. */
const HEALED_WITHIN = 5_000;

/** Told to stop while the standby is away, the server ends within, ms. */
const STOPPED_WITHIN = 30_000;

/** Connections a server has at most. */
const MOST_CONNECTIONS = 11;

const CONNECTIONS =
  "SELECT count(*)::integer AS count FROM pg_stat_activity WHERE application_name = 'forebay'";

const WAITING = "SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

describe("a synchronous standby that is away", () => {
  let pair: PostgresPair;
  let server: ServerProcess;
  let endpoint: string;
  beforeAll(async () => {
    pair = await PostgresPair.start();
    server = await ServerProcess.start({ flags: { "database-url": pair.url } });
    endpoint = await server.endpoint({ rateLimits: RAISED_LIMITS });
  });
  afterAll(async () => {
    // What could not be done meanwhile stands there.
    server.log.length = 0;
    await server.stop();
    await pair[Symbol.asyncDispose]();
  });

  test("P1: submissions are refused in time, reads go on, few connections wait, and it heals", async () => {
    const before = await server.run(endpoint);
    await pair.killStandby();
    const over = AbortSignal.timeout(AWAY);
    const codes: unknown[] = [];
    let slowestSubmission = 0;
    let slowestRead = 0;
    // One sends what lies in a row, the other what lies in a table of its own.
    const submitters = [10, 100_000].map(async (size) => {
      while (!over.aborted) {
        const { code, took } = await submit(size);
        codes.push(code);
        slowestSubmission = Math.max(slowestSubmission, took);
        await Bun.sleep(20);
      }
    });
    const reader = async (): Promise<void> => {
      while (!over.aborted) {
        const startedAt = performance.now();
        expect((await server.get("/healthz")).status).toBe(200);
        expect((await server.status(endpoint, before)).status).toBe("IN_QUEUE");
        slowestRead = Math.max(slowestRead, performance.now() - startedAt);
        await Bun.sleep(50);
      }
    };
    await Promise.all([...submitters, reader()]);

    expect(new Set(codes)).toEqual(new Set(["STORAGE_UNAVAILABLE"]));
    expect(slowestSubmission).toBeLessThan(ANSWERED_WITHIN);
    expect(slowestRead).toBeLessThan(AT_ONCE);
    const [connections] = await pair.ask<{ count: number }>(CONNECTIONS);
    expect(connections?.count).toBeLessThanOrEqual(MOST_CONNECTIONS);
    await pair.startStandby();
    await until("submissions are taken", async () => (await submit(10)).code === undefined, HEALED_WITHIN);
  }, 120_000);

  test("a server that is told to stop meanwhile ends", async () => {
    await pair.killStandby();
    const submission = submit(10).catch(() => undefined);
    await until("a commit waits", async () => (await pair.ask(WAITING)).length > 0);
    const startedAt = performance.now();
    expect(await server.end("SIGTERM")).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(STOPPED_WITHIN);
    await submission;
  }, 120_000);

  async function submit(size: number): Promise<{ code: unknown; took: number }> {
    const startedAt = performance.now();
    const { json } = await server.post(`/v2/${endpoint}/run`, { input: { text: "x".repeat(size) } });
    return { code: json.code, took: performance.now() - startedAt };
  }
});
