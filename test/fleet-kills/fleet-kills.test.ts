import { afterEach, beforeEach, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WORKER_COMMAND } from "../crash-server/own-workers.ts";
import { RECORDS_VARIABLE } from "../crash-server/worker-record.ts";
import { FLEET_FIELDS, killFleet, RECEIVER_FLAGS } from "../support/fleet-under-kills.ts";
import { killIfThere } from "../support/processes.ts";
import { ServerProcess } from "../support/server-process.ts";
import { SEED } from "../support/seed.ts";

const KILLS = Number(process.env["KILLS"] ?? 30);

/** For what one kill, and one rest, may take on a busy machine, ms. */
const LIMIT = KILLS * 15_000 + 60_000;

let records: string;
let server: ServerProcess;
beforeEach(async () => {
  records = mkdtempSync(join(tmpdir(), "forebay-records-"));
  server = await ServerProcess.start({
    commands: { program: WORKER_COMMAND },
    flags: {
      "ping-interval-ms": "200",
      "drain-grace-ms": "500",
      "worker-lease-ms": "1500",
      ...RECEIVER_FLAGS,
    },
  });
});
afterEach(async () => {
  await server.stop();
  rmSync(records, { recursive: true });
});

test(
  `R22, R31: ${KILLS} kill -9 of server and workers: no orphan, no double fleet (SEED=${SEED})`,
  async () => {
    const fleet = {
      name: "fleet kills",
      server,
      endpoint: await server.commandEndpoint("program", FLEET_FIELDS, { [RECORDS_VARIABLE]: records }),
      inputOf: (tag: string, work: number) => ({ tag, work, fails: false, outputFiller: 0 }),
      records,
      // Each worker is one process.
      workers: () => Promise.resolve(server.workerProcesses().map(String)),
      left: () => Promise.resolve(server.workerProcesses().length),
      killWorker: (worker: string) => Promise.resolve(killIfThere(Number(worker))),
    };
    await killFleet(fleet, KILLS, SEED);
  },
  LIMIT,
);
