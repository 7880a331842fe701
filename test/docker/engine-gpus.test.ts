import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Clock } from "../../src/domain/clock.ts";
import { dockerEngine } from "../../src/fleet/docker/docker-engine.ts";
import { EngineGpus } from "../../src/fleet/docker/engine-gpus.ts";
import { systemClock } from "../../src/host/system-clock.ts";
import { DockerHost } from "../support/docker-host.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { MemoryLog } from "../support/memory-log.ts";
import { until } from "../support/until.ts";
import { importShellImage } from "../support/worker-images.ts";
import { type GpuEngine, gpuEngine, importSmiImage } from "./gpu-engine.ts";

const MODEL = "NVIDIA L40S";
const UUIDS = ["GPU-5c89852c-d268-c3f3-1b07-005d5ae1dc3f", "GPU-0aa1b8c1-14c7-6a50-dd51-bb8b23b6a2c1"];
const SLICE = "MIG-a686709d-6dc2-542a-8851-0d2508448c10";

describe("the GPUs of an engine on another machine", () => {
  let host: DockerHost;
  let engine: GpuEngine;
  let log: MemoryLog;
  beforeAll(async () => {
    host = await DockerHost.start();
    await importSmiImage(host, "smi:1", MODEL);
    await importShellImage(host, "shell:1");
  });
  afterAll(() => host.stop());
  beforeEach(async () => {
    log = new MemoryLog();
    engine = await gpuEngine(host.socket, UUIDS);
  });
  afterEach(async () => {
    await engine[Symbol.asyncDispose]();
    expect(await host.containers()).toEqual([]);
  });

  function gpus(probeImage: string, clock: Clock = new ManualClock(), client = clientOf(engine)): EngineGpus {
    return new EngineGpus({ engine: client, isHere: false, probeImage, owner: "d/s", clock, log });
  }

  const clientOf = ({ socket }: GpuEngine) => dockerEngine({ socketPath: socket }, systemClock());

  test("are its CDI devices with a UUID, of an unknown model", async () => {
    engine.cdi = ["0", "1", "all", ...UUIDS, SLICE];
    const own = gpus("");
    const { devices, fault } = await own.read();
    expect(fault).toBeUndefined();
    expect(devices.map(({ uuid, name, kind }) => [uuid, name, kind])).toEqual([
      [UUIDS[0] ?? "", "NVIDIA GPU", "card"],
      [UUIDS[1] ?? "", "NVIDIA GPU", "card"],
      [SLICE, "NVIDIA MIG slice", "slice"],
    ]);
    engine.cdi = ["all", ...UUIDS.slice(1)];
    const { devices: left, outOfUse } = await own.read();
    expect(left.map(({ uuid }) => uuid)).toEqual(UUIDS.slice(1));
    expect(outOfUse.map(({ uuid, reason }) => `${uuid}: ${reason}`)).toEqual([
      `${UUIDS[0]}: The driver no longer lists the GPU.`,
      `${SLICE}: The driver no longer lists the GPU.`,
    ]);
  });

  test("cannot be told from a list of numbers, or from no list, and the reason says what to do", async () => {
    engine.cdi = ["0", "all"];
    expect((await gpus("").read()).fault).toContain("--device-name-strategy=uuid");
    engine.cdi = [];
    expect((await gpus("").read()).fault).toContain("FOREBAY_DOCKER_GPU_PROBE");
  });

  test("are those that nvidia-smi shows in a container with all of them", async () => {
    const { devices, fault } = await gpus("smi:1").read();
    expect(fault).toBeUndefined();
    expect(devices.map(({ uuid, name, memoryMb }) => [uuid, name, memoryMb])).toEqual(
      UUIDS.map((uuid) => [uuid, MODEL, 46_068]),
    );
    expect(engine.requests).toEqual([{ Driver: "nvidia", Count: -1, Capabilities: [["gpu", "utility"]] }]);
    engine.cdi = ["all"];
    await gpus("smi:1").read();
    expect(engine.requests.at(-1)).toEqual({ Driver: "cdi", DeviceIDs: ["nvidia.com/gpu=all"] });
  });

  test("are unknown, with the reason, if the probe or the engine fails", async () => {
    expect((await gpus("shell:1").read()).fault).toMatch(
      /^Docker does not list them: .*nvidia-smi.*not found/,
    );
    const client = dockerEngine({ socketPath: "/nowhere.sock" }, systemClock());
    expect((await gpus("smi:1", new ManualClock(), client).read()).fault).toMatch(
      /^Docker does not answer: it cannot be reached/,
    );
  });

  test("are unknown if nvidia-smi hangs, and the next look removes its container", async () => {
    const clock = new ManualClock();
    const hanging = await hangingProbe();
    const reading = gpus(hanging, clock).read();
    await until("it runs", async () => (await host.containers())[0]?.State === "running");
    await clock.advance(10_000);
    expect((await reading).fault).toContain("nvidia-smi did not answer within 10 s.");
    expect(await host.containers()).toEqual([]);
  });

  test("do not count containers that a killed server left: they are removed", async () => {
    const left = { Image: "shell:1", Cmd: ["sleep", "1000"], Labels: { "io.forebay.gpu-probe": "d/s" } };
    const { json } = await host.ask("POST", "/v1.41/containers/create", left);
    await host.ask("POST", `/v1.41/containers/${json.Id}/start`);
    expect((await gpus("smi:1").read()).devices).toHaveLength(2);
    expect(await host.containers()).toEqual([]);
  });

  async function hangingProbe(): Promise<string> {
    await importSmiImage(host, "hanging:1", "$(sleep 1000)");
    return "hanging:1";
  }
});
