import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { DockerHost } from "../support/docker-host.ts";
import { imageEndpoint, startDockerServer } from "../support/docker-server.ts";
import { endpointFleet } from "../support/endpoint-fleet.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";
import { importPythonImage, importTypeScriptImage } from "../support/worker-images.ts";

const LIMIT = 60_000;

describe("workers in containers", () => {
  let host: DockerHost;
  let server: ServerProcess;
  beforeAll(async () => {
    host = await DockerHost.start();
    await importTypeScriptImage(host, "team/typescript:1");
    await importPythonImage(host, "team/python:1");
  });
  afterAll(() => host.stop());
  beforeEach(async () => {
    server = await startDockerServer(host, { "docker-memory-mb": "160" });
  });
  afterEach(() => server.stop());

  const none = () => until("no container is left", async () => (await host.containers()).length === 0, LIMIT);

  test("from a template over an endpoint to results, from no worker to three and back to none", async () => {
    const limits = { workersMax: 3, idleTimeout: 1, scalerType: "REQUEST_COUNT", scalerValue: 1 };
    const endpoint = await imageEndpoint(server, "team/typescript:1", limits);
    expect(await host.containers()).toEqual([]);
    const jobs = await Promise.all(Array.from({ length: 40 }, () => server.run(endpoint, { sleep: 200 })));
    let most = 0;
    const watching = until(
      "no container runs again",
      async () => {
        const { length } = await host.containers();
        most = Math.max(most, length);
        return most > 0 && length === 0;
      },
      LIMIT,
    );
    const records = await Promise.all(jobs.map((job) => server.ended(endpoint, job)));
    expect(records.filter(({ status }) => status !== "COMPLETED")).toEqual([]);
    expect(new Set(records.map(({ workerId }) => workerId)).size).toBe(3);
    expect(records[0].output.worker).toBe(records[0].workerId);
    await watching;
    expect(most).toBe(3);
    expect(server.logged("a worker exited")).toEqual([]);
  });

  test("the unmodified public Python SDK works in a container", async () => {
    const endpoint = await imageEndpoint(server, "team/python:1", { workersMax: 1, idleTimeout: 1 });
    const record = await server.ended(endpoint, await server.run(endpoint, { sleep: 10 }));
    expect(record).toMatchObject({
      status: "COMPLETED",
      output: { worker: record.workerId, python: true },
    });
    await none();
  });

  test("R31: workers of a server that was killed go on, and end with the next one", async () => {
    const endpoint = await imageEndpoint(server, "team/typescript:1", { workersMax: 1, idleTimeout: 1 });
    const job = await server.run(endpoint, { sleep: 3_000 });
    await until("it runs", async () => (await server.status(endpoint, job)).status === "IN_PROGRESS", LIMIT);
    await server.kill();
    const [before] = await host.containers();
    await server.startAgain();
    const record = await server.ended(endpoint, job);
    expect([record.status, record.retries]).toEqual(["COMPLETED", undefined]);
    expect(before.Names).toEqual([`/forebay-${record.workerId}`]);
    await none();
  });

  test("a worker that takes more memory than it may ends, and its job says so", async () => {
    const endpoint = await imageEndpoint(server, "team/typescript:1", { workersMax: 1, idleTimeout: 1 });
    const record = await server.ended(endpoint, await server.run(endpoint, { greedy: true }));
    expect(record.status).toBe("FAILED");
    const exit = "out of memory: used its limit of 160 MB";
    expect(record.error).toBe(
      `the worker was lost 3 times, the last time because the worker ended (${exit}, ${exit}, ${exit})`,
    );
    await none();
  });

  test("vcpuCount limits the cores; only gpuCount or gpuTypeIds ask for GPUs", async () => {
    const limits = { workersMax: 1, idleTimeout: 1, computeType: "GPU", vcpuCount: 1 };
    const endpoint = await imageEndpoint(server, "team/typescript:1", limits, { category: "NVIDIA" });
    const job = await server.run(endpoint, { sleep: 60_000 });
    await until("it runs", async () => (await server.status(endpoint, job)).status === "IN_PROGRESS", LIMIT);
    const [{ Id }] = await host.containers();
    const { HostConfig } = (await host.ask("GET", `/v1.41/containers/${Id}/json`)).json;
    expect(HostConfig).toMatchObject({ NanoCpus: 1e9, DeviceRequests: null });
    await server.post(`/v2/${endpoint}/cancel/${job}`);
    await none();
    for (const wish of [{ gpuTypeIds: ["NVIDIA A100 80GB PCIe"] }, { gpuCount: 2 }]) {
      // This machine has none.
      const { status, json } = await server.call("PATCH", `/v1/endpoints/${endpoint}`, wish);
      expect([status, json.code]).toEqual([400, "INVALID_FIELD"]);
      expect(json.error).toContain("; docker has no ");
    }
  });

  test("more cores than the engine has are refused; workers without free ones wait", async () => {
    const { NCPU } = (await host.ask("GET", "/v1.41/info")).json;
    const limits = { workersMax: 3, idleTimeout: 1, scalerType: "REQUEST_COUNT", scalerValue: 1 };
    const endpoint = await imageEndpoint(server, "team/typescript:1", { ...limits, vcpuCount: NCPU });
    const { templateId } = (await server.get(`/v1/endpoints/${endpoint}`)).json;
    const { json } = await until("the server knows the engine's machine", async () => {
      const fields = { name: crypto.randomUUID(), templateId, vcpuCount: NCPU + 1 };
      const made = await server.post("/v1/endpoints", fields);
      return made.status === 400 && made;
    });
    expect(json.error).toContain(`needs ${NCPU + 1} cores, 160 MB of memory; docker has ${NCPU} of ${NCPU}`);
    const jobs = [await server.run(endpoint, { sleep: 3_000 }), await server.run(endpoint, { sleep: 10 })];
    const reason = await until(
      "the second worker waits",
      async () => {
        const fleet = await endpointFleet(server, endpoint);
        return fleet.state === "NO_ROOM" && fleet.reason;
      },
      LIMIT,
    );
    expect(reason).toContain(`docker has 0 of ${NCPU} cores free`);
    expect(await host.containers()).toHaveLength(1);
    for (const job of jobs) expect((await server.ended(endpoint, job)).status).toBe("COMPLETED");
    await none();
  });

  test("a volume outlives its workers, and goes with the endpoint", async () => {
    const template = { volumeInGb: 1, volumeMountPath: "/data" };
    const limits = { workersMax: 1, idleTimeout: 1 };
    const endpoint = await imageEndpoint(server, "team/typescript:1", limits, template);
    const visit = async () =>
      (await server.ended(endpoint, await server.run(endpoint, { visit: "/data/a" }))).output;
    const first = await visit();
    await none();
    const second = await visit();
    expect(second).toEqual({ worker: expect.any(String), before: [first.worker] });
    expect(second.worker).not.toBe(first.worker);
    const volumes = async () => (await host.ask("GET", "/v1.41/volumes")).json.Volumes ?? [];
    expect(await volumes()).toHaveLength(1);
    expect((await server.call("DELETE", `/v1/endpoints/${endpoint}`)).status).toBe(204);
    await none();
    await until("the volume is gone", async () => (await volumes()).length === 0);
  });
});
