import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { seededRandom } from "../crash/seeded-random.ts";
import { killIfThere } from "../support/processes.ts";
import { ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";

const PROGRAM = join(import.meta.dir, "../fleet/worker-program.ts");

const KILLS = Number(process.env["KILLS"] ?? 30);
const SEED = process.env["SEED"] ?? String(crypto.getRandomValues(new Uint32Array(1))[0]);

/** Kills between two times at which everything comes to rest. */
const ROUND = 5;

/** For what one kill, and one rest, may take on a busy machine, ms. */
const LIMIT = KILLS * 15_000 + 60_000;

const WORKERS_MAX = 3;

let server: ServerProcess;
beforeEach(async () => {
  server = await ServerProcess.start({
    commands: { program: [process.execPath, PROGRAM] },
    flags: { "ping-interval-ms": "200", "drain-grace-ms": "500", "worker-lease-ms": "1500" },
  });
});
afterEach(() => server.stop());

test(
  `R22, R31: ${KILLS} kill -9: no orphan, no double fleet, to zero and back (SEED=${SEED})`,
  async () => {
    const random = seededRandom(SEED);
    const limits = { workersMax: WORKERS_MAX, idleTimeout: 1, scalerType: "REQUEST_COUNT", scalerValue: 1 };
    const endpoint = await server.commandEndpoint("program", limits);
    const jobs: string[] = [];
    /** Each worker is one process. */
    const expectNoDouble = (): void => {
      expect(server.workerProcesses().length).toBeLessThanOrEqual(WORKERS_MAX);
    };

    for (let kill = 1; kill <= KILLS; kill++) {
      for (let count = random.integer(0, 3); count >= 0; count--) {
        jobs.push(await server.run(endpoint, { sleep: random.integer(0, 400) }));
      }
      // Anywhere: before the workers run, while they start, while they have jobs, when they are told to end.
      await new Promise((resolve) => setTimeout(resolve, random.integer(0, 1_000)));
      expectNoDouble();
      const workers = server.workerProcesses();
      const worker = workers[random.integer(0, workers.length - 1)];
      if (worker !== undefined && random.chance(0.5)) killIfThere(worker);
      else {
        await server.kill();
        expectNoDouble();
        await server.startAgain();
      }
      expectNoDouble();
      if (kill % ROUND === 0 || kill === KILLS) await restAndBack();
    }

    async function restAndBack(): Promise<void> {
      const records = await Promise.all(jobs.splice(0).map((job) => server.ended(endpoint, job)));
      for (const { status, error } of records) {
        // Whoever loses its worker three times is over.
        if (status !== "COMPLETED") expect(error).toContain("the worker was lost 3 times");
      }
      await until("no worker runs", () => server.workerProcesses().length === 0, 60_000);
      await until("none is known of", async () => {
        const { workers } = await server.health(endpoint);
        return workers.initializing + workers.idle + workers.running === 0;
      });
      expect((await server.ended(endpoint, await server.run(endpoint))).status).toBe("COMPLETED");
      expect(server.workerProcesses().length).toBe(1);
    }
  },
  LIMIT,
);
