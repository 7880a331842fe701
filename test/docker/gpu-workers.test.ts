import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { endpointFleet } from "../support/endpoint-fleet.ts";
import { DockerHost } from "../support/docker-host.ts";
import { imageEndpoint, startDockerServer } from "../support/docker-server.ts";
import { until } from "../support/until.ts";
import { importTypeScriptImage } from "../support/worker-images.ts";
import { gpuEngine, importSmiImage } from "./gpu-engine.ts";

const LIMIT = 60_000;
const IMAGE = "team/typescript:1";
const UUIDS = ["GPU-5c89852c-d268-c3f3-1b07-005d5ae1dc3f", "GPU-0aa1b8c1-14c7-6a50-dd51-bb8b23b6a2c1"];

describe("workers with GPUs on an engine whose GPUs are not those of nvidia-smi here", () => {
  let host: DockerHost;
  beforeAll(async () => {
    host = await DockerHost.start();
    await importTypeScriptImage(host, IMAGE);
    await importSmiImage(host, "smi:1", "NVIDIA A40");
  });
  afterAll(() => host.stop());

  test("get those that the operator declares, by UUID, and more workers wait", async () => {
    await using end = new AsyncDisposableStack();
    const engine = end.use(await gpuEngine(host.socket, UUIDS));
    const flags = {
      "docker-host": `unix://${engine.socket}`,
      "docker-gpus": UUIDS.map((uuid) => `${uuid}=NVIDIA L40S:46068`).join(","),
    };
    const server = end.adopt(await startDockerServer(host, flags), (started) => started.stop());
    const endpoint = await imageEndpoint(server, IMAGE, { workersMax: 1, idleTimeout: 1, gpuCount: 2 });
    const job = await server.run(endpoint, { sleep: 60_000 });
    await until("it runs", async () => (await server.status(endpoint, job)).status === "IN_PROGRESS", LIMIT);
    expect(engine.requests).toEqual([{ Driver: "nvidia", DeviceIDs: UUIDS, Capabilities: [["gpu"]] }]);
    const [container] = await host.containers();
    expect(container.Labels["io.forebay.devices"]).toBe(UUIDS.join(","));
    const other = await imageEndpoint(server, IMAGE, { workersMax: 1, gpuCount: 1 });
    const waiting = await server.run(other);
    const { reason } = await until(
      "it is told",
      async () => {
        const fleet = await endpointFleet(server, other);
        return fleet.state === "NO_ROOM" ? fleet : undefined;
      },
      LIMIT,
    );
    expect(reason).toContain("docker has 0 of 2 NVIDIA L40S free");
    await server.post(`/v2/${other}/cancel/${waiting}`);
    await server.post(`/v2/${endpoint}/cancel/${job}`);
    await none();
  });

  test("get those that a probe finds, as CDI devices if the engine lists them so", async () => {
    await using end = new AsyncDisposableStack();
    const engine = end.use(await gpuEngine(host.socket, UUIDS));
    engine.cdi = ["all", ...UUIDS];
    const flags = { "docker-host": `unix://${engine.socket}`, "docker-gpu-probe": "smi:1" };
    const server = end.adopt(await startDockerServer(host, flags), (started) => started.stop());
    const endpoint = await imageEndpoint(server, IMAGE, { workersMax: 1, idleTimeout: 1, gpuCount: 1 });
    const { output } = await server.ended(endpoint, await server.run(endpoint));
    expect(output.env).toMatchObject({ RUNPOD_GPU_COUNT: "1", RUNPOD_GPU_NAME: "NVIDIA A40" });
    // There can be several probes.
    const requests = [...new Set(engine.requests.map((request) => request?.DeviceIDs?.join()))];
    expect(requests).toEqual(["nvidia.com/gpu=all", `nvidia.com/gpu=${UUIDS[0]}`]);
    await none();
  });

  const none = () => until("no container is left", async () => (await host.containers()).length === 0, LIMIT);
});
