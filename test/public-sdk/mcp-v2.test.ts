import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type EndToEndServer, startEndToEnd } from "../support/end-to-end-server.ts";
import { until } from "../support/until.ts";
import { McpClient } from "./mcp-client.ts";

const SCALING = { type: "QUEUE_DELAY", queueDelay: 4 };

describe("the public MCP server 4.0.0, unmodified on Node, with the SDK base as its address", () => {
  let server: EndToEndServer;
  let mcp: McpClient;
  beforeEach(async () => {
    server = await startEndToEnd();
    mcp = await McpClient.start(server.url, "4.0.0");
  });
  afterEach(async () => {
    await mcp.stop();
    await server.stop();
  });

  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of any shape
  async function did(tool: string, args: Readonly<Record<string, unknown>> = {}): Promise<any> {
    const { isError, text, json } = await mcp.call(tool, args);
    if (isError) throw new Error(text);
    return json;
  }

  const template = (fields: object = {}) =>
    did("create-template", { body: { name: "chat", image: "team/worker:1", ...fields } });

  const endpoint = (fields: object = {}) =>
    did("create-endpoint", { body: { name: "chat", type: "QUEUE", scaling: SCALING, ...fields } });

  /** Of two servers, only the one that started the worker has its log; the other one says so. */
  function logsOf(endpointId: string, workerId: string) {
    return until("the server with the log answers", async () => {
      const read = { endpointId, workerId, maxWaitMs: 2_000 };
      const { isError, text, json } = await mcp.call("stream-worker-logs", read);
      if (isError && text.includes("Ask that server.")) return undefined;
      if (isError) throw new Error(text);
      return json;
    });
  }

  test("templates: create, list, read, change, delete", async () => {
    const fields = {
      args: "python -u handler.py",
      env: { MODEL: "small" },
      disk: 10,
      ports: ["8888/http"],
      mounts: { persistent: { size: 20, path: "/data" } },
    };
    const { warnings, ...made } = await template({ ...fields, serverless: true });
    expect(warnings.map(({ field }: { field: string }) => field)).toEqual(["serverless"]);
    expect(made).toMatchObject({ ...fields, name: "chat", image: "team/worker:1", public: false });
    const { id } = made;
    expect((await did("list-templates")).templates).toEqual([
      { id, name: "chat", image: "team/worker:1", serverless: true },
    ]);
    expect(await did("get-template", { id })).toEqual(made);
    const changes = { name: "renamed", image: "team/worker:2", env: { MODEL: "large" } };
    expect(await did("update-template", { id, body: changes })).toEqual({ ...made, ...changes });
    await did("delete-template", { id });
    expect((await did("list-templates")).templates).toEqual([]);
  });

  test("endpoints with an image: create, list, read, change, delete", async () => {
    const fields = {
      image: "team/worker:1",
      args: "python handler.py",
      env: { MODEL: "small" },
      workers: { min: 0, max: 2, idleTimeout: 30 },
      dataCenterIds: ["EU-RO-1"],
      timeout: 60_000,
    };
    const gpu = { pools: ["NVIDIA GeForce RTX 4090"], count: 1 };
    const { warnings, ...made } = await endpoint({ ...fields, gpu });
    expect(warnings.map(({ field }: { field: string }) => field)).toContain("dataCenterIds");
    expect(made).toMatchObject({ ...fields, gpu, type: "QUEUE", scaling: SCALING });
    expect(made.requestUrls.run).toBe(`${server.url}/sdk/v2/${made.id}/run`);
    const { id } = made;
    const { items, pagination } = await did("list-endpoints");
    expect(items).toMatchObject([{ id, name: "chat", image: "team/worker:1", gpu }]);
    expect(pagination).toMatchObject({ total: 1, truncated: false });
    expect(await did("get-endpoint", { id })).toEqual(made);

    const changes = { name: "renamed", image: "team/worker:2", timeout: 90_000, workers: { max: 5 } };
    const changed = await did("update-endpoint", { id, body: changes });
    expect(changed).toEqual({ ...made, ...changes, workers: { ...fields.workers, max: 5 } });
    const pools = ["NVIDIA L40S"];
    const { endpoint: pinned } = await did("set-endpoint-gpus", { endpointId: id, pools, gpuCount: 2 });
    expect(pinned).toMatchObject({ id, gpuIds: "NVIDIA L40S", gpuCount: 2, workersMax: 5 });

    await did("delete-endpoint", { id });
    expect((await did("list-endpoints")).items).toEqual([]);
    expect((await did("list-templates")).templates).toEqual([]);
  });

  test("an endpoint on a template, which the API v1 shows as well", async () => {
    const { id: templateId } = await template();
    const made = await endpoint({ templateId });
    expect(made).toMatchObject({ image: "team/worker:1", gpu: null });
    expect((await server.get(`/v1/endpoints/${made.id}`)).json).toMatchObject({ templateId, workersMax: 3 });
    await server.call("PATCH", `/v1/endpoints/${made.id}`, { workersMax: 7 });
    expect((await did("get-endpoint", { id: made.id })).workers.max).toBe(7);
  });

  test("registry logins, and the catalog of the hosts", async () => {
    const body = { name: "registry", username: "user", password: "s3cr3t" };
    const made = await did("create-registry", { body });
    expect(made).toEqual({ id: made.id, name: "registry" });
    expect((await did("list-registries")).registries).toEqual([made]);
    expect(await did("get-registry", { id: made.id })).toEqual(made);
    await did("delete-registry", { id: made.id });
    expect((await did("list-registries")).registries).toEqual([]);
    const withStock = { include: ["AVAILABILITY"], product: ["SERVERLESS"] };
    const { cpus } = await did("list-cpu-types", withStock);
    expect(cpus).toMatchObject([{ id: "cpu", vcpu: { min: 1 }, availability: "HIGH" }]);
    expect(cpus[0].vcpu.max).toBeGreaterThan(1);
    expect(await did("get-cpu-type", { id: "cpu" })).toMatchObject({ id: "cpu" });
    expect(Array.isArray((await did("list-gpu-types", withStock)).gpus)).toBe(true);
  });

  test("jobs, workers, their logs and releases of an endpoint that the server runs", async () => {
    const image = "process/hello";
    const { id: endpointId } = await endpoint({ image, workers: { min: 1, max: 1 } });
    const { id: jobId } = await did("run-endpoint", { endpointId, input: { name: "Ada" } });
    const ended = await until("the job has ended", async () => {
      const record = await did("get-job-status", { endpointId, jobId });
      return record.status === "COMPLETED" ? record : undefined;
    });
    expect(ended.output).toEqual({ greeting: "Hello, Ada!" });
    const { workers, summary, endpointVersion } = await did("list-endpoint-workers", { id: endpointId });
    expect(workers).toMatchObject([{ isStale: false, version: 1, gpuCount: 0, image }]);
    expect({ total: summary.total, endpointVersion }).toEqual({ total: 1, endpointVersion: 1 });
    const [{ id: workerId }] = workers;
    const { items } = await logsOf(endpointId, workerId);
    expect(items.length).toBeGreaterThan(0);
    expect(items[0]).toEqual({
      source: expect.any(String),
      line: expect.any(String),
      ts: expect.any(String),
    });

    await did("update-endpoint", { id: endpointId, body: { disk: 60 } });
    const { releases } = await did("list-endpoint-releases", { id: endpointId });
    expect(releases.map(({ version }: { version: number }) => version)).toEqual([1]);
    await did("update-endpoint", { id: endpointId, body: { env: { LOUD: "yes" } } });
    const after = await did("list-endpoint-releases", { id: endpointId });
    expect(after.releases.map(({ version }: { version: number }) => version)).toEqual([2, 1]);
  });

  test("what is wrong comes back with the server's sentence, and so does what is not there", async () => {
    const absent = await mcp.call("get-endpoint", { id: "none" });
    expect(absent.isError).toBe(true);
    expect(absent.text).toContain("There is no endpoint none.");
    const unknown = await mcp.call("create-template", { body: { name: "a", image: "b", imageName: "c" } });
    expect(unknown.text).toContain("imageName");
    for (const tool of [
      "list-pods",
      "list-clusters",
      "get-ssh-keys",
      "list-billing",
      "list-network-volumes",
    ]) {
      const { isError, text } = await mcp.call(tool);
      expect([tool, isError, text.includes("NOT_SUPPORTED")]).toEqual([tool, true, true]);
    }
  });
});
