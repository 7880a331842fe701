import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type EndToEndServer, startEndToEnd } from "../support/end-to-end-server.ts";
import type { TestWorker } from "../support/test-worker.ts";
import { McpClient } from "./mcp-client.ts";

describe("the public MCP server, unmodified on Node, with the SDK base as its address", () => {
  let server: EndToEndServer;
  let mcp: McpClient;
  beforeEach(async () => {
    server = await startEndToEnd();
    mcp = await McpClient.start(server.url);
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
    did("create-template", { name: "chat", imageName: "team/worker:1", ...fields });

  test("create-template, get-template, list-templates: every member", async () => {
    const fields = {
      isServerless: true,
      ports: ["8888/http"],
      dockerEntrypoint: ["python"],
      dockerStartCmd: ["handler.py"],
      env: { MODEL: "small" },
      containerDiskInGb: 10,
      volumeInGb: 0,
      volumeMountPath: "/data",
      readme: "# Chat",
      category: "CPU",
    };
    const { warnings, ...made } = await template(fields);
    expect(warnings.map(({ field }: { field: string }) => field)).toEqual(["category", "isServerless"]);
    expect(made).toMatchObject({ ...fields, isRunpod: false, isPublic: false });
    expect(await did("get-template", { templateId: made.id })).toEqual(made);
    const { items } = await did("list-templates");
    expect(items).toEqual([made]);
  });

  test("update-template changes what it names, and delete-template removes it", async () => {
    const { warnings: _, ...made } = await template({ isServerless: true });
    const templateId = made.id;
    const changes = { name: "renamed", imageName: "team/worker:2", env: { MODEL: "large" }, readme: "# Two" };
    expect(await did("update-template", { templateId, ...changes })).toEqual({ ...made, ...changes });
    expect(await did("delete-template", { templateId })).toEqual({ success: true, status: 204 });
    expect((await did("list-templates")).items).toEqual([]);
  });

  test("logins of registries: create, get, list, use by a template, delete", async () => {
    const credentials = { name: "registry", username: "user", password: "s3cr3t" };
    const made = await did("create-container-registry-auth", credentials);
    const containerRegistryAuthId = made.id;
    expect(made).toEqual({ id: containerRegistryAuthId, name: "registry" });
    expect(await did("get-container-registry-auth", { containerRegistryAuthId })).toEqual(made);
    expect((await did("list-container-registry-auths")).items).toEqual([made]);
    const { id: templateId } = await template();
    const changed = await did("update-template", { templateId, containerRegistryAuthId });
    expect(changed).toMatchObject({ containerRegistryAuthId });
    await did("delete-template", { templateId });
    const gone = await did("delete-container-registry-auth", { containerRegistryAuthId });
    expect(gone).toEqual({ success: true, status: 204 });
    expect((await did("list-container-registry-auths")).items).toEqual([]);
  });

  test("create-endpoint, get-endpoint, list-endpoints: every member, and the template", async () => {
    const { id: templateId } = await template();
    const fields = {
      name: "chat",
      templateId,
      computeType: "GPU",
      gpuTypeIds: ["NVIDIA GeForce RTX 4090"],
      gpuCount: 1,
      workersMin: 0,
      workersMax: 2,
      dataCenterIds: ["EU-RO-1"],
    };
    const { warnings, ...made } = await did("create-endpoint", fields);
    expect(warnings.map(({ field }: { field: string }) => field)).toContain("dataCenterIds");
    expect(made).toMatchObject({ ...fields, userId: "default" });
    const endpointId = made.id;
    expect(await did("get-endpoint", { endpointId })).toEqual(made);
    const included = { includeTemplate: true, includeWorkers: true };
    const whole = await did("get-endpoint", { endpointId, ...included });
    expect(whole).toEqual({ ...made, template: expect.anything(), workers: [] });
    expect(whole.template).toMatchObject({ id: templateId, isRunpod: false });
    expect((await did("list-endpoints")).items).toEqual([made]);
    expect((await did("list-endpoints", included)).items).toEqual([whole]);
  });

  test("create-endpoint with a template alone, which is all that it demands", async () => {
    const { id: templateId } = await template();
    const made = await did("create-endpoint", { templateId });
    expect(made).toMatchObject({ templateId, computeType: "GPU", workersMax: 3 });
    expect(made.gpuCount).toBeUndefined();
  });

  test("update-endpoint changes what it names, and delete-endpoint removes it", async () => {
    const { id: templateId } = await template();
    const { warnings: _, ...made } = await did("create-endpoint", {
      templateId,
      dataCenterIds: ["EU-RO-1"],
    });
    const endpointId = made.id;
    const changes = {
      name: "renamed",
      workersMin: 1,
      workersMax: 5,
      idleTimeout: 60,
      scalerType: "REQUEST_COUNT",
      scalerValue: 2,
    };
    expect(await did("update-endpoint", { endpointId, ...changes })).toEqual({ ...made, ...changes });
    expect(await did("delete-endpoint", { endpointId })).toEqual({ success: true, status: 204 });
    expect((await did("list-endpoints")).items).toEqual([]);
  });

  test("what is wrong comes back with the server's sentence", async () => {
    const absent = await mcp.call("get-endpoint", { endpointId: "none" });
    expect(absent.isError).toBe(true);
    expect(absent.text).toContain("There is no endpoint none.");
    const { text } = await mcp.call("create-endpoint", { templateId: "none" });
    expect(text).toContain("TEMPLATE_NOT_FOUND");
  });

  describe("its tools of the queue", () => {
    let endpointId: string;
    let worker: TestWorker;
    beforeEach(async () => {
      endpointId = await server.endpoint();
      worker = await server.worker(endpointId);
    });

    test("run-endpoint and get-job-status, with all members of a submission", async () => {
      const s3Config = { accessId: "a", accessSecret: "s", bucketName: "b", endpointUrl: "u" };
      const policy = { executionTimeout: 6_000, lowPriority: true, ttl: 60_000 };
      const { id: jobId, status } = await did("run-endpoint", {
        endpointId,
        input: { n: 1 },
        policy,
        s3Config,
      });
      expect(status).toBe("IN_QUEUE");
      expect((await did("get-job-status", { endpointId, jobId })).status).toBe("IN_QUEUE");
      expect((await worker.take()).json).toEqual({ id: jobId, input: { n: 1 }, policy, s3Config });
      await worker.done(jobId, { output: { text: "Grüße" } });
      const record = await did("get-job-status", { endpointId, jobId });
      expect(record).toMatchObject({ status: "COMPLETED", output: { text: "Grüße" } });
    });

    test("runsync-endpoint answers the result, or the job that goes on when its wait is over", async () => {
      const running = did("runsync-endpoint", { endpointId, input: {} });
      const { id } = (await worker.take()).json;
      await worker.done(id, { output: 1 });
      expect(await running).toMatchObject({ id, status: "COMPLETED", output: 1 });
      const late = await did("runsync-endpoint", { endpointId, input: {}, wait: 1_000 });
      expect(late.status).toBe("IN_QUEUE");
    });

    test("stream-job collects every chunk once, and ends with the job", async () => {
      const { id: jobId } = await did("run-endpoint", { endpointId, input: {} });
      await worker.take();
      await worker.stream(jobId, { output: "a" });
      const streaming = did("stream-job", { endpointId, jobId });
      await worker.stream(jobId, { output: { n: 1 } });
      await worker.done(jobId, { output: [] });
      expect(await streaming).toMatchObject({
        status: "COMPLETED",
        stream: [{ output: "a" }, { output: { n: 1 } }],
      });
    });

    test("cancel-job, retry-job, endpoint-health and purge-endpoint-queue", async () => {
      const run = async (): Promise<string> => (await did("run-endpoint", { endpointId, input: {} })).id;
      const failed = await run();
      await worker.done((await worker.take()).json.id, { error: "no" });
      expect(await did("retry-job", { endpointId, jobId: failed })).toEqual({
        id: failed,
        status: "IN_QUEUE",
      });
      const cancelled = await run();
      const answer = await did("cancel-job", { endpointId, jobId: cancelled });
      expect(answer).toEqual({ id: cancelled, status: "CANCELLED" });
      const health = await did("endpoint-health", { endpointId });
      expect(health).toMatchObject({
        jobs: { inQueue: 1, failed: 1, retried: 1 },
        workers: { unhealthy: 0 },
      });
      const purged = await did("purge-endpoint-queue", { endpointId });
      expect(purged).toEqual({ removed: 1, status: "completed" });
    });
  });
});
