import { afterEach, beforeEach, test } from "bun:test";
import { join } from "node:path";
import { killFleet } from "../support/fleet-under-kills.ts";
import { killIfThere } from "../support/processes.ts";
import { ServerProcess } from "../support/server-process.ts";

const PROGRAM = join(import.meta.dir, "../fleet/worker-program.ts");

const KILLS = Number(process.env["KILLS"] ?? 30);
const SEED = process.env["SEED"] ?? String(crypto.getRandomValues(new Uint32Array(1))[0]);

/** For what one kill, and one rest, may take on a busy machine, ms. */
const LIMIT = KILLS * 15_000 + 60_000;

let server: ServerProcess;
beforeEach(async () => {
  server = await ServerProcess.start({
    commands: { program: [process.execPath, PROGRAM] },
    flags: { "ping-interval-ms": "200", "drain-grace-ms": "500", "worker-lease-ms": "1500" },
  });
});
afterEach(() => server.stop());

test(
  `R22, R31: ${KILLS} kill -9 of server and workers: no orphan, no double fleet (SEED=${SEED})`,
  async () => {
    const limits = { workersMax: 3, idleTimeout: 1, scalerType: "REQUEST_COUNT", scalerValue: 1 };
    const fleet = {
      server,
      endpoint: await server.commandEndpoint("program", limits),
      workersMax: 3,
      // Each worker is one process.
      workers: () => Promise.resolve(server.workerProcesses().map(String)),
      left: () => Promise.resolve(server.workerProcesses().length),
      killWorker: (worker: string) => Promise.resolve(killIfThere(Number(worker))),
    };
    await killFleet(fleet, KILLS, SEED);
  },
  LIMIT,
);
