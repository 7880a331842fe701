import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { imageEndpoint } from "../support/docker-server.ts";
import { until } from "../support/until.ts";
import { GpuHosts, IMAGE } from "./gpu-hosts.ts";

const LIMIT = 60_000;
const HOST_TIMEOUT = 6_000;

describe("two hosts with four GPUs each", () => {
  let hosts: GpuHosts;
  beforeEach(async () => {
    hosts = await GpuHosts.start(["gpu-1", "gpu-2"], 4, { "host-timeout-ms": String(HOST_TIMEOUT) });
  });
  afterEach(() => hosts[Symbol.asyncDispose]());

  const scaler = { scalerType: "REQUEST_COUNT", scalerValue: 1, idleTimeout: 1 };
  const endpointOf = (workersMax: number, fields = {}): Promise<string> =>
    imageEndpoint(hosts.server, IMAGE, { ...scaler, gpuCount: 1, workersMax, ...fields });
  const submit = (endpoint: string, count: number, sleep: number): Promise<string[]> =>
    Promise.all(Array.from({ length: count }, () => hosts.server.run(endpoint, { sleep })));
  const workersOf = async (endpoint: string, jobs: readonly string[]): Promise<(string | undefined)[]> => {
    const records = await Promise.all(jobs.map((job) => hosts.server.status(endpoint, job)));
    return records.map(({ status, workerId }) => (status === "IN_PROGRESS" ? workerId : undefined));
  };
  const allRun = (
    endpoint: string,
    jobs: readonly string[],
    isOther: (worker: string) => boolean = () => true,
  ) =>
    until(
      "all jobs run",
      async () => (await workersOf(endpoint, jobs)).every((one) => one !== undefined && isOther(one)),
      LIMIT,
    );
  const isFree = (name: string) =>
    until(`${name} has no devices in use`, async () => (await hosts.ledger(name)).size === 0, LIMIT);
  const isEmpty = (name: string) =>
    until(`${name} is empty`, async () => (await hosts.host(name).engine.containers()).length === 0, LIMIT);

  test("eight workers with a GPU each: eight devices, as the sockets of both engines recorded", async () => {
    const endpoint = await endpointOf(8, { workersMin: 8 });
    const isThere = async () => (await hosts.server.health(endpoint)).workers.idle === 8;
    await until("all workers are there", isThere, LIMIT);
    for (const name of ["gpu-1", "gpu-2"]) {
      const given = hosts.given(name);
      expect([...given.values()].flat().toSorted()).toEqual([0, 1, 2, 3].map((at) => `GPU-${name}-${at}`));
      const written = new Map<string, readonly string[]>(
        [...(await hosts.ledger(name))].map(([device, worker]) => [worker, [device]]),
      );
      expect(written).toEqual(new Map(given));
    }
    const jobs = await submit(endpoint, 9, 100);
    const records = await Promise.all(jobs.map((job) => hosts.server.ended(endpoint, job)));
    expect(records.map(({ status }) => status)).toEqual(jobs.map(() => "COMPLETED"));
    await hosts.server.call("PATCH", `/v1/endpoints/${endpoint}`, { workersMin: 0 });
    await Promise.all(["gpu-1", "gpu-2"].map(isEmpty));
    await Promise.all(["gpu-1", "gpu-2"].map(isFree));
  });

  test("a drained host gets no more jobs, and its workers finish theirs; resumed, it serves", async () => {
    const endpoint = await endpointOf(2);
    const first = await submit(endpoint, 2, 10_000);
    await allRun(endpoint, first);
    const [place = "", other = ""] =
      (await hosts.running("gpu-1")).length > 0 ? ["gpu-1", "gpu-2"] : ["gpu-2", "gpu-1"];
    await hosts.drain(place, true);
    const second = await submit(endpoint, 4, 200);
    const records = await Promise.all([...first, ...second].map((job) => hosts.server.ended(endpoint, job)));
    expect(records.map(({ status, retries }) => [status, retries])).toEqual(
      records.map(() => ["COMPLETED", undefined]),
    );
    await isEmpty(place);
    await isFree(place);

    await hosts.drain(other, true);
    const [waiting = ""] = await submit(endpoint, 1, 100);
    const { json } = await until(
      "it waits",
      async () => {
        const answer = await hosts.server.get(`/v1/endpoints/${endpoint}/jobs/${waiting}`);
        return JSON.stringify(answer.json).includes("is draining") ? answer : undefined;
      },
      LIMIT,
    );
    expect(JSON.stringify(json)).toContain("gpu-1 is draining, gpu-2 is draining");
    await hosts.drain(place, false);
    expect((await hosts.server.ended(endpoint, waiting)).status).toBe("COMPLETED");
  });

  test("a host that is cut off: its jobs run elsewhere within 10 s of the timeout, and once", async () => {
    const endpoint = await endpointOf(4);
    const jobs = await submit(endpoint, 4, 20_000);
    await allRun(endpoint, jobs);
    const before = new Set(await hosts.running("gpu-1"));
    expect(before.size).toBe(4);
    hosts.host("gpu-1").line.cut();
    const cutAt = performance.now();
    await allRun(endpoint, jobs, (worker) => !before.has(worker));
    const took = performance.now() - cutAt;
    process.stdout.write(`4 jobs ran elsewhere ${Math.round(took - HOST_TIMEOUT)} ms after the timeout\n`);
    // Nobody knows whether the lost workers run: their containers are there, and they keep their devices.
    expect(await hosts.host("gpu-1").engine.containers()).toHaveLength(4);
    expect(new Set((await hosts.ledger("gpu-1")).values())).toEqual(before);
    expect([...hosts.given("gpu-2").values()].flat().toSorted()).toEqual(
      [0, 1, 2, 3].map((at) => `GPU-gpu-2-${at}`),
    );
    const { json } = await hosts.server.get("/v1/hosts/gpu-1");
    expect(json.away).toContain("Docker does not answer");

    hosts.host("gpu-1").line.mend();
    await isEmpty("gpu-1");
    await isFree("gpu-1");
    const records = await Promise.all(jobs.map((job) => hosts.server.ended(endpoint, job)));
    for (const { status, workerId, output, retries } of records) {
      expect([status, output.worker, retries]).toEqual(["COMPLETED", workerId, undefined]);
      expect(before.has(workerId)).toBe(false);
    }
  });

  test("a host that is lost for good is deleted: its GPUs are gone, and its jobs run elsewhere", async () => {
    const endpoint = await endpointOf(1);
    const [job = ""] = await submit(endpoint, 1, 15_000);
    await allRun(endpoint, [job]);
    const [place = "", other = ""] =
      (await hosts.running("gpu-1")).length > 0 ? ["gpu-1", "gpu-2"] : ["gpu-2", "gpu-1"];
    hosts.host(place).line.cut();
    const refused = await hosts.server.call("DELETE", `/v1/hosts/${place}`);
    expect([refused.status, refused.json.code]).toEqual([400, "IN_USE"]);
    const isAway = async () => (await hosts.server.get(`/v1/hosts/${place}`)).json.away !== undefined;
    await until("the host is away", isAway, LIMIT);
    expect((await hosts.server.call("DELETE", `/v1/hosts/${place}?lost=true`)).status).toBe(204);
    const record = await hosts.server.ended(endpoint, job);
    expect(record).toMatchObject({ status: "COMPLETED" });
    expect([...hosts.given(other).keys()]).toContain(record.workerId);
    // What was left there is stopped when the host is created again.
    expect(await hosts.host(place).engine.containers()).toHaveLength(1);
    hosts.host(place).line.mend();
    await hosts.create(place, 4);
    await isEmpty(place);
  });

  test("a server that is killed while a host is cut off gives none of its GPUs away", async () => {
    const endpoint = await endpointOf(4);
    const jobs = await submit(endpoint, 4, 20_000);
    await allRun(endpoint, jobs);
    const before = new Set(await hosts.running("gpu-1"));
    hosts.host("gpu-1").line.cut();
    await allRun(endpoint, jobs, (worker) => !before.has(worker));
    await hosts.server.kill();
    await hosts.server.startAgain();
    expect(new Set((await hosts.ledger("gpu-1")).values())).toEqual(before);
    hosts.host("gpu-1").line.mend();
    await isEmpty("gpu-1");
    await isFree("gpu-1");
    const records = await Promise.all(jobs.map((job) => hosts.server.ended(endpoint, job)));
    expect(records.map(({ status }) => status)).toEqual(jobs.map(() => "COMPLETED"));
  });
});
