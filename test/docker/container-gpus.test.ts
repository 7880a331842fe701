import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Template } from "../../src/domain/template.ts";
import type { Provider, WorkerExit, WorkerOrder } from "../../src/fleet/provider.ts";
import { DockerHost } from "../support/docker-host.ts";
import { MemoryLog } from "../support/memory-log.ts";
import { MemoryOutput } from "../support/memory-output.ts";
import { templateOf } from "../support/template-of.ts";
import { until } from "../support/until.ts";
import { importShellImage } from "../support/worker-images.ts";
import { openProvider } from "./contract-on.ts";
import { record, type RecordedCall, type Recorder } from "./recorder.ts";

const GPUS = ["GPU-1", "GPU-2"].map((uuid) => ({ uuid, name: "NVIDIA L40S" }));

describe("GPUs and the memory of containers", () => {
  let host: DockerHost;
  let recorder: Recorder;
  let log: MemoryLog;
  let provider: Provider;
  let exits: WorkerExit[];
  let output: MemoryOutput;
  /** Whether the answer to a call is lost. */
  let loses: (call: RecordedCall) => boolean;
  beforeAll(async () => {
    host = await DockerHost.start();
    await importShellImage(host, "shell:1");
  });
  afterAll(() => host.stop());
  beforeEach(async () => {
    log = new MemoryLog();
    output = new MemoryOutput();
    exits = [];
    loses = () => false;
    recorder = await record(host.socket, { loses: (call) => loses(call) });
    provider = openProvider({ socketPath: recorder.socket, deployment: "d1", log, output });
    provider.onExit((exit) => exits.push(exit));
  });
  afterEach(async () => {
    for (const worker of await provider.list()) await provider.stop(worker, 0);
    await provider.close();
    await recorder[Symbol.asyncDispose]();
    expect(log.errors).toEqual([]);
  });

  /** What the engine was told of the last container that it was asked for. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of any shape
  const told = (): any => recorder.calls.findLast(({ path }) => path.includes("/containers/create"))?.body;

  async function start(template: Partial<Template>, more: Partial<WorkerOrder> = {}): Promise<string> {
    const worker = `w${crypto.randomUUID()}`;
    await provider.start({
      worker,
      endpoint: "e1",
      template: templateOf("shell:1", { volumeInGb: 0, ...template }),
      environment: { RUNPOD_POD_ID: worker },
      ...more,
    });
    return worker;
  }
  const endOf = (worker: string) => until("it ended", () => exits.find((exit) => exit.worker === worker));

  test("GPUs are asked for only where some are wanted, whatever the category", async () => {
    await endOf(await start({ category: "NVIDIA", dockerStartCmd: ["true"] }));
    expect(told().HostConfig.DeviceRequests).toBeUndefined();
    // This machine has none, and says so.
    await expect(start({ category: "CPU" }, { gpus: GPUS })).rejects.toThrow("gpu");
    expect(told().HostConfig.DeviceRequests).toEqual([
      { Driver: "nvidia", DeviceIDs: ["GPU-1", "GPU-2"], Capabilities: [["gpu"]] },
    ]);
    const { Memory, ShmSize, Ulimits } = told().HostConfig;
    expect(ShmSize).toBe(Math.floor(Memory / 2));
    expect(Ulimits).toEqual([{ Name: "memlock", Soft: -1, Hard: -1 }]);
    await expect(start({ env: { NVIDIA_VISIBLE_DEVICES: "all" } })).rejects.toThrow("NVIDIA_VISIBLE_DEVICES");
    expect(await provider.list()).toEqual([]);
  });

  test("the shared memory is what the endpoint says, otherwise what the engine gives", async () => {
    const dockerStartCmd = ["/bin/busybox", "df", "-k", "/dev/shm"];
    const worker = await start({ dockerStartCmd }, { shmSizeInMb: 96 });
    await endOf(worker);
    expect(output.printed(worker).join(" ")).toContain(String(96 * 1_024));
    await endOf(await start({ dockerStartCmd: ["true"] }));
    expect(told().HostConfig.ShmSize).toBeUndefined();
  });

  test("a start that lost its answer fails only when its container is gone", async () => {
    let lost = 0;
    loses = ({ path }) => {
      if (path.endsWith("/start") || lost > 0) lost++;
      return lost > 0;
    };
    let isOver = false;
    const failed = start({ dockerStartCmd: ["sleep", "1000"] }).catch((error: unknown) => String(error));
    void failed.finally(() => (isOver = true));
    await until("it was asked again and again", () => lost > 10);
    expect(isOver).toBe(false);
    expect(await host.containers()).toHaveLength(1);
    loses = () => false;
    expect(await failed).toContain("Docker cannot start the container");
    expect(await host.containers()).toEqual([]);
  });
});
