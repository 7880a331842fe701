import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { parseFigures } from "../../src/domain/figures.ts";
import { ServerProcess } from "../support/server-process.ts";
import type { TestWorker } from "../support/test-worker.ts";
import { until } from "../support/until.ts";

/** How many jobs were taken in, and how many done. */
interface Seen {
  readonly submitted: number;
  readonly completed: number;
}

const ROUNDS = 2;
const JOBS = 4;

/** Figures are written every 5 s; how long that may take on a busy machine, ms. */
const PATIENCE = 30_000;

describe("statistics of a server that is killed", () => {
  let server: ServerProcess;
  let endpoint: string;
  let worker: TestWorker;
  beforeEach(async () => {
    server = await ServerProcess.start();
    endpoint = await server.endpoint();
    worker = await server.worker(endpoint);
  });
  afterEach(() => server.stop());

  /** What is told of slots of 10 s and of an hour, which have each change once. */
  async function told(): Promise<Seen> {
    const [narrow, wide] = await Promise.all(
      ["1h", "30d"].map(async (period) => {
        const { json } = await server.get(`/v1/endpoints/${endpoint}/statistics?period=${period}`);
        return { submitted: json.total.submitted, completed: json.total.completed };
      }),
    );
    expect(narrow).toEqual(wide);
    return { submitted: wide?.submitted, completed: wide?.completed };
  }

  /** What would be left of it after a crash. */
  function kept(): Seen {
    using database = new Database(join(server.directory, "data/forebay.db"), { readonly: true });
    const rows = database
      .query<{ figures: string }, [string]>(
        "SELECT figures FROM statistics WHERE endpoint = ? AND width = 10000",
      )
      .all(endpoint)
      .map(({ figures }) => parseFigures(figures).counts);
    const sum = (name: keyof Seen): number => rows.reduce((total, counts) => total + counts[name], 0);
    return { submitted: sum("submitted"), completed: sum("completed") };
  }

  async function finish(count: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      const { json } = await worker.take();
      await worker.done(json.id, { output: n });
    }
  }

  test("what was stored is reported again, what came after it once or not at all", async () => {
    let base: Seen = { submitted: 0, completed: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      for (let n = 0; n < JOBS; n++) await server.run(endpoint);
      await finish(JOBS);
      let before = { submitted: base.submitted + JOBS, completed: base.completed + JOBS };
      await until("all is told", async () => Bun.deepEquals(await told(), before));
      await until("all is kept", () => Bun.deepEquals(kept(), before), PATIENCE);
      // The next time that figures are written, those that were are not written again.
      await server.run(endpoint);
      before = { ...before, submitted: before.submitted + 1 };
      await until("that is kept too", () => Bun.deepEquals(kept(), before), PATIENCE);
      // Nobody has waited until these are kept.
      for (let n = 0; n < JOBS; n++) await server.run(endpoint);
      await server.kill();

      await server.startAgain();
      const after = await told();
      expect(after).toEqual(kept());
      expect(after.completed).toBe(before.completed);
      expect(after.submitted).toBeWithin(before.submitted, before.submitted + JOBS + 1);
      // The jobs are all there, and counting goes on from what is told.
      await finish(JOBS + 1);
      base = { submitted: after.submitted, completed: after.completed + JOBS + 1 };
      await until("all is told again", async () => Bun.deepEquals(await told(), base));
    }
  });
});
