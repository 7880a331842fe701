import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { ContainerRecords } from "../container-kills/container-records.ts";
import { seededRandom } from "../crash/seeded-random.ts";
import { webhooksDelivered } from "../crash-server/aftermath.ts";
import { recorder } from "../crash-server/recorder.ts";
import { webhookReceiver } from "../crash-server/webhook-receiver.ts";
import { addWorkerRecords } from "../crash-server/worker-record.ts";
import { record, type Recorder } from "../docker/recorder.ts";
import { checkHistory } from "../history/check-history.ts";
import { FAULTLESS } from "../history/faults.ts";
import { tableOf } from "../history/table.ts";
import { DockerHost } from "../support/docker-host.ts";
import { imageEndpoint, startDockerServer } from "../support/docker-server.ts";
import { FleetClient } from "../support/fleet-client.ts";
import { RECEIVER_FLAGS } from "../support/fleet-under-kills.ts";
import { ScriptedDriver } from "../support/scripted-driver.ts";
import { SEED } from "../support/seed.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { importTypeScriptImage } from "../support/worker-images.ts";
import { DeviceWatch, withoutDevices } from "./device-watch.ts";
import { GpuStorm, WORKERS } from "./gpu-storm.ts";

const KILLS = Number(process.env["KILLS"] ?? 30);

/** For what one kill, and the recovery from it, may take on a busy machine, ms. */
const LIMIT = KILLS * 60_000 + 120_000;

const IMAGE = "team/typescript:1";

let host: DockerHost;
let engine: Recorder;
let driver: ScriptedDriver;
let records: ContainerRecords;
let server: ServerProcess;
beforeEach(async () => {
  host = await DockerHost.start();
  await importTypeScriptImage(host, IMAGE, "test/docker/workers/recording-worker.ts");
  engine = await record(host.socket, { change: withoutDevices });
  driver = new ScriptedDriver(WORKERS);
  records = await ContainerRecords.start();
  const flags = { "drain-grace-ms": "500", "worker-lease-ms": "1500", ...RECEIVER_FLAGS };
  server = await startDockerServer({ url: `unix://${engine.socket}` }, flags, driver.env);
});
afterEach(async () => {
  try {
    await server.stop();
  } finally {
    await records[Symbol.asyncDispose]();
    driver[Symbol.dispose]();
    await engine[Symbol.asyncDispose]();
    await host.stop();
  }
});

test(
  `${KILLS} kill -9 of server, engine and workers on ${WORKERS} GPUs: each has its own (SEED=${SEED})`,
  async () => {
    const random = seededRandom(SEED);
    const members = { gpuCount: 1, idleTimeout: 1, webhookRetries: 30, workersMin: 0, workersMax: 0 };
    const template = { env: { RECORDS_URL: records.url } };
    const endpoint = await imageEndpoint(server, IMAGE, members, template);
    const watch = new DeviceWatch(host, engine.calls, join(server.directory, "data"));
    const storm = new GpuStorm({ server, host, watch, endpoint, random });
    const seen = recorder();
    await using receiver = await webhookReceiver(seen, random.next());
    const inputOf = (tag: string, sleep: number) => ({ tag, sleep });
    const client = new FleetClient({ server, endpoint, inputOf }, seen, receiver.url());
    const over = new AbortController();
    const watching = watch.run(over.signal);
    try {
      await storm.begin();
      for (let kill = 1; kill <= KILLS; kill++) {
        for (let count = random.integer(0, 3); count > 0; count--)
          await client.submit(random.integer(0, 400));
        await storm.change();
        await new Promise((resolve) => setTimeout(resolve, random.integer(0, 1_000)));
        await client.lookAtAll();
        await storm.kill();
      }
      await client.allEnded();
      await storm.end();
    } finally {
      over.abort();
      await watching;
    }
    addWorkerRecords(seen, records.directory);
    await client.lookAtAll(true);
    await webhooksDelivered(server, [endpoint]);
    const verdict = checkHistory(seen.events);
    process.stderr.write(tableOf(`GPUs: SEED=${SEED}, ${storm.figures()}, ${watch.looks} looks`, verdict));
    expect({ ...verdict.faults, answers: seen.faults }).toEqual({ ...FAULTLESS, answers: [] });
  },
  LIMIT,
);
