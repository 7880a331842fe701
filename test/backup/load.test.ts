import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { ServerProcess } from "../support/server-process.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { copyKey, forebay, LARGE, manifestIn, NO_LIMITS } from "./backup-world.ts";

const CLIENTS = 16;

/** How far the clock of the test and that of the server may differ, ms. */
const CLOCKS = 50;

describe("a backup under load", () => {
  let server: ServerProcess;
  beforeAll(async () => {
    server = await ServerProcess.start();
  });
  afterAll(() => server.stop());

  test("has every job that was acknowledged before its instant, with all payloads", async () => {
    const endpoint = await server.endpoint({ rateLimits: NO_LIMITS });
    const passing = await server.endpoint({ rateLimits: NO_LIMITS });
    const worker = await server.worker(endpoint);
    const acknowledged: { id: string; at: number }[] = [];
    const load = new AbortController();
    const isOver = (): boolean => load.signal.aborted;

    async function submit(client: number): Promise<void> {
      for (let number = 0; !isOver(); number++) {
        const id = await server.run(endpoint, number % 20 === client ? LARGE : { number });
        acknowledged.push({ id, at: Date.now() });
      }
    }
    async function work(): Promise<void> {
      while (!isOver()) {
        const { json } = await worker.takeBatch(10);
        const jobs: { id: string }[] = Array.isArray(json) ? json : [];
        for (const { id } of jobs) await worker.done(id, { output: id.endsWith("7-u1") ? LARGE : "done" });
      }
    }
    /** Payload files come and go all the time. */
    async function passBy(): Promise<void> {
      while (!isOver()) {
        await server.run(passing, LARGE);
        await server.post(`/v2/${passing}/purge-queue`);
      }
    }
    const clients = Array.from({ length: CLIENTS }, (_, client) => submit(client));
    const all = [...clients, work(), passBy()];
    while (acknowledged.length < 2_000) await Promise.race([Bun.sleep(50), ...all]);

    const files = ["first.tar", "second.tar"].map((name) => join(server.directory, name));
    for (const file of files) {
      expect(await forebay(server, "backup", file)).toMatchObject({ status: 0 });
    }
    load.abort();
    await Promise.all(all);

    for (const [index, file] of files.entries()) {
      const manifest = manifestIn(file);
      expect(manifest.damaged).toEqual([]);
      const target = join(server.directory, `restored-${index}`);
      copyKey(server, target);
      expect(await forebay(undefined, "restore", file, "--data", target)).toMatchObject({ status: 0 });
      const instant = Date.parse(manifest.instant);
      const before = acknowledged.filter(({ at }) => at + CLOCKS < instant);
      expect(before.length).toBeGreaterThan(1_000);
      const kept = jobsIn(target);
      expect(before.filter(({ id }) => !kept.has(id))).toEqual([]);
      // The restored server goes on: it hands out what had not ended.
      const restored = await ServerProcess.start({ flags: { data: target } });
      try {
        const other = await restored.worker(endpoint);
        expect((await other.take()).status).toBe(200);
        const { json } = await fetchHealth(restored, endpoint);
        expect(json.jobs.inQueue + json.jobs.inProgress + json.jobs.completed).toBe(
          kept.size - passingIn(target),
        );
      } finally {
        await restored.stop();
      }
    }

    function passingIn(target: string): number {
      return [...jobsIn(target, passing)].length;
    }
  });
});

function fetchHealth(server: ServerProcess, endpoint: string) {
  return server.get(`/v2/${endpoint}/health`, { authorization: TEST_KEY });
}

function jobsIn(target: string, endpoint?: string): Set<string> {
  const database = new Database(join(target, "forebay.db"), { readonly: true });
  const rows = database
    .query<{ id: string }, [string | null]>("SELECT id FROM job WHERE ?1 IS NULL OR endpoint = ?1")
    .all(endpoint ?? null);
  database.close();
  return new Set(rows.map(({ id }) => id));
}
