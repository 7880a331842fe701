import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cardRow, printedGpus, uuidOf } from "../support/nvidia-smi.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

describe("the hosts of a server", () => {
  let driver: AsyncDisposable;
  let server: TestServer;
  beforeAll(async () => {
    const rows = [`${cardRow(0)}, 87, 40112`, `${cardRow(1)}, [N/A], ERR!`, cardRow(2, "[GPU is lost]")];
    driver = await printedGpus(rows);
    server = await TestServer.start();
    await until("the GPUs are read", async () => (await local()).gpus.length === 3);
  });
  afterAll(async () => {
    await server.stop();
    await driver[Symbol.asyncDispose]();
  });

  const local = async () => (await server.get("/v1/hosts/local")).json;
  const model = { name: "NVIDIA L40S", memoryInMb: 46_068 };
  const use = { utilization: 0.87, memoryUsedInMb: 40_112 };
  const lost = {
    uuid: uuidOf(2),
    index: 2,
    state: "OUT_OF_USE",
    reason: "nvidia-smi shows [GPU is lost] for the GPU.",
  };

  async function metrics(): Promise<string[]> {
    const { text } = await server.get("/metrics");
    return text.split("\n").filter((line) => /^forebay_(gpus|host_up)\{/.test(line));
  }

  test("show each GPU, and which of them is out of use and why", async () => {
    expect(await local()).toMatchObject({
      name: "local",
      provider: "process",
      isConfigured: true,
      isDraining: false,
      gpus: [
        { uuid: uuidOf(0), index: 0, ...model, ...use, state: "FREE" },
        { uuid: uuidOf(1), index: 1, ...model, state: "FREE" },
        lost,
      ],
      workers: [],
    });
    expect((await server.get("/v1/hosts")).json).toEqual({ hosts: [await local()] });
  });

  test("show which worker of which endpoint has a GPU, and metrics count it", async () => {
    const { json } = await server.post("/v1/templates", { name: "greeter", imageName: "process/hello" });
    const fields = { templateId: json.id, gpuCount: 1, workersMin: 1 };
    const endpoint = await server.endpoint(fields);
    const [worker] = await until("a worker has a record", async () => {
      const { workers } = await local();
      return workers.length === 1 && workers;
    });
    expect(worker).toMatchObject({ endpoint, gpus: [uuidOf(0)], startedAt: expect.any(String) });
    const holder = { id: worker.id, endpoint };
    const { workers } = (await server.get(`/v1/endpoints/${endpoint}/workers`)).json;
    expect(workers).toMatchObject([{ id: worker.id, host: "local" }]);
    expect((await local()).gpus).toEqual([
      { uuid: uuidOf(0), index: 0, ...model, ...use, state: "ALLOCATED", worker: holder },
      { uuid: uuidOf(1), index: 1, ...model, state: "FREE" },
      lost,
    ]);
    expect(await metrics()).toEqual([
      'forebay_host_up{host="local"} 1',
      'forebay_gpus{host="local",state="free"} 1',
      'forebay_gpus{host="local",state="allocated"} 1',
      'forebay_gpus{host="local",state="out_of_use"} 1',
    ]);
    await server.call("DELETE", `/v1/endpoints/${endpoint}`);
    await until("the worker is gone", async () => (await local()).workers.length === 0);
    expect((await local()).gpus[0]).toMatchObject({ state: "FREE" });
  });

  test("metrics say how busy each GPU is, and leave out what the driver does not tell", async () => {
    const { text } = await server.get("/metrics");
    const labels = `{host="local",gpu="${uuidOf(0)}",name="NVIDIA L40S"}`;
    expect(text.split("\n").filter((line) => line.startsWith("forebay_gpu_"))).toEqual([
      `forebay_gpu_utilization_ratio${labels} 0.87`,
      `forebay_gpu_memory_used_bytes${labels} ${40_112 * 1_048_576}`,
    ]);
  });

  test("a name of no host is 404", async () => {
    const { status, json } = await server.get("/v1/hosts/gpu-9");
    expect([status, json.code, json.error]).toEqual([404, "HOST_NOT_FOUND", "There is no host gpu-9."]);
  });
});
