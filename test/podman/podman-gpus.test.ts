import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openProvider } from "../docker/contract-on.ts";
import { type GpuEngine, gpuEngine, importSmiImage } from "../docker/gpu-engine.ts";
import { dockerEngine } from "../../src/fleet/docker/docker-engine.ts";
import { EngineGpus } from "../../src/fleet/docker/engine-gpus.ts";
import { systemClock } from "../../src/host/system-clock.ts";
import { DockerHost } from "../support/docker-host.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { MemoryLog } from "../support/memory-log.ts";
import { templateOf } from "../support/template-of.ts";

const UUID = "GPU-5c89852c-d268-c3f3-1b07-005d5ae1dc3f";

describe("GPUs on podman", () => {
  let host: DockerHost;
  beforeAll(async () => {
    host = await DockerHost.start("podman");
    await importSmiImage(host, "localhost/smi:1", "NVIDIA L40S");
  });
  afterAll(() => host.stop());

  function inventory({ socket }: GpuEngine, probeImage: string) {
    const engine = dockerEngine({ socketPath: socket }, systemClock());
    // Its time stands still: a probe takes as long as it takes.
    const clock = new ManualClock();
    const options = { engine, isHere: false, probeImage, owner: "d/s", clock, log: new MemoryLog() };
    return new EngineGpus(options).read();
  }

  /** Starts a worker with one GPU, and answers the names of its label's devices once it is listed. */
  async function started({ socket }: GpuEngine): Promise<readonly string[] | undefined> {
    const provider = openProvider({ socketPath: socket, deployment: "d", log: new MemoryLog() });
    const gpus = [{ uuid: UUID, name: "NVIDIA L40S" }];
    const template = templateOf("localhost/smi:1", { volumeInGb: 0, dockerStartCmd: ["sleep", "1000"] });
    const worker = `w${crypto.randomUUID()}`;
    try {
      await provider.start({ worker, endpoint: "e", template, environment: {}, gpus });
      await provider.list();
      return provider.devices?.get(worker);
    } finally {
      await provider.stop(worker, 0);
      await provider.close();
    }
  }

  test("are refused before 5.4, which would ignore the request, with the version", async () => {
    await using engine = await gpuEngine(host.socket, [UUID]);
    for (const version of ["4.3.1", "5.3.2"]) {
      engine.podman = version;
      const reason = `podman ${version} does not support GPUs in containers; upgrade to 5.4.`;
      await expect(started(engine)).rejects.toThrow(`Docker cannot start the container: ${reason}`);
      expect((await inventory(engine, "localhost/smi:1")).fault).toBe(reason);
    }
    engine.podman = undefined;
    await expect(started(engine)).rejects.toThrow("does not support GPUs in containers");
    expect(engine.requests).toEqual([]);
  });

  test("are asked for by CDI from 5.4 on, by the probe and by workers", async () => {
    await using engine = await gpuEngine(host.socket, [UUID]);
    for (const version of ["5.4.0", "6.0.1"]) {
      engine.podman = version;
      const { devices } = await inventory(engine, "localhost/smi:1");
      expect(devices.map(({ uuid }) => uuid)).toEqual([UUID]);
      expect(await started(engine)).toEqual([UUID]);
    }
    const cdi = (name: string) => ({ Driver: "cdi", DeviceIDs: [`nvidia.com/gpu=${name}`] });
    expect(engine.requests).toEqual([cdi("all"), cdi(UUID), cdi("all"), cdi(UUID)]);
  });
});
