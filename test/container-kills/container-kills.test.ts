import { afterEach, beforeEach, test } from "bun:test";
import { ContainerRecords } from "./container-records.ts";
import { DockerHost } from "../support/docker-host.ts";
import { imageEndpoint, startDockerServer } from "../support/docker-server.ts";
import { FLEET_FIELDS, killFleet, RECEIVER_FLAGS } from "../support/fleet-under-kills.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { importTypeScriptImage } from "../support/worker-images.ts";
import { SEED } from "../support/seed.ts";

const KILLS = Number(process.env["KILLS"] ?? 15);

/** For what one kill, and one rest, may take on a busy machine, ms. */
const LIMIT = KILLS * 30_000 + 60_000;

const IMAGE = "team/typescript:1";

let host: DockerHost;
let server: ServerProcess;
let records: ContainerRecords;
beforeEach(async () => {
  host = await DockerHost.start();
  await importTypeScriptImage(host, IMAGE, "test/docker/workers/recording-worker.ts");
  records = await ContainerRecords.start();
  server = await startDockerServer(host, {
    "drain-grace-ms": "500",
    "worker-lease-ms": "1500",
    ...RECEIVER_FLAGS,
  });
});
afterEach(async () => {
  try {
    await server.stop();
  } finally {
    await records[Symbol.asyncDispose]();
    await host.stop();
  }
});

test(
  `R22, R31: ${KILLS} kill -9 of server, engine and containers: no orphan, no double fleet (SEED=${SEED})`,
  async () => {
    const fleet = {
      name: "container kills",
      inputOf: (tag: string, sleep: number) => ({ tag, sleep }),
      server,
      endpoint: await imageEndpoint(server, IMAGE, FLEET_FIELDS, { env: { RECORDS_URL: records.url } }),
      records: records.directory,
      workers: async () => {
        const running = (await host.containers()).filter(({ State }) => State === "running");
        return running.map(({ Id }) => String(Id));
      },
      left: async () => (await host.containers()).length,
      async killWorker(worker: string) {
        // It can have ended meanwhile.
        await host.ask("POST", `/v1.41/containers/${worker}/kill?signal=KILL`);
      },
      async restartEngine() {
        await host.kill();
        await host.startAgain();
      },
    };
    await killFleet(fleet, KILLS, SEED);
  },
  LIMIT,
);
