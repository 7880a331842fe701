import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { DockerHost } from "../support/docker-host.ts";
import { imageEndpoint, startDockerServer } from "../support/docker-server.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";
import { importTypeScriptImage } from "../support/worker-images.ts";

const LIMIT = 60_000;
const IMAGE = "team/typescript:1";

describe("containers when something dies", () => {
  let host: DockerHost;
  let server: ServerProcess;
  beforeEach(async () => {
    host = await DockerHost.start();
    await importTypeScriptImage(host, IMAGE);
    server = await startDockerServer(host);
  });
  afterEach(async () => {
    try {
      await server.stop();
    } finally {
      await host.stop();
    }
  });

  const limits = { workersMax: 1, idleTimeout: 1 };
  const none = () => until("no container is left", async () => (await host.containers()).length === 0, LIMIT);
  const isRunning = (endpoint: string, job: string) =>
    until("it runs", async () => (await server.status(endpoint, job)).status === "IN_PROGRESS", LIMIT);

  test("a killed engine comes back: what ran went on, and what waited starts", async () => {
    const endpoint = await imageEndpoint(server, IMAGE, limits);
    const other = await imageEndpoint(server, IMAGE, limits);
    const job = await server.run(endpoint, { sleep: 4_000 });
    await isRunning(endpoint, job);
    await host.kill();
    const waiting = await server.run(other);
    await until(
      "the job says why it waits",
      async () => {
        const { text } = await server.get(`/v1/endpoints/${other}/jobs/${waiting}`);
        return text.includes("docker is away");
      },
      LIMIT,
    );
    await host.startAgain();
    const records = await Promise.all([server.ended(endpoint, job), server.ended(other, waiting)]);
    expect(records.map(({ status, retries }) => [status, retries])).toEqual([
      ["COMPLETED", undefined],
      ["COMPLETED", undefined],
    ]);
    await none();
  });

  test("R31: a server that starts without its engine takes its workers up when that is back", async () => {
    const endpoint = await imageEndpoint(server, IMAGE, limits);
    const job = await server.run(endpoint, { sleep: 6_000 });
    await isRunning(endpoint, job);
    const gone = await imageEndpoint(server, IMAGE, limits);
    const lost = await server.run(gone, { sleep: 60_000 });
    await isRunning(gone, lost);
    const { workerId } = await server.status(gone, lost);
    await server.kill();
    await host.ask("DELETE", `/v1.41/containers/forebay-${workerId}?force=1`);
    await host.kill();
    await server.startAgain();
    expect(server.logged("workers are taken to run until they can be asked for")).toHaveLength(1);
    await host.startAgain();
    const record = await server.ended(endpoint, job);
    expect([record.status, record.retries]).toEqual(["COMPLETED", undefined]);
    await until(
      "the lost job runs at another worker",
      async () => {
        const { workerId: now, status } = await server.status(gone, lost);
        return status === "IN_PROGRESS" && now !== workerId;
      },
      LIMIT,
    );
    await server.post(`/v2/${gone}/cancel/${lost}`);
    await none();
  });

  test("R31: what a killed server left half made or unknown is removed by the next one", async () => {
    const endpoint = await imageEndpoint(server, IMAGE, limits);
    const job = await server.run(endpoint, { sleep: 1_000 });
    await isRunning(endpoint, job);
    await server.kill();
    const [{ Labels }] = await host.containers();
    for (const [worker, isStarted] of [
      ["wnobody", true],
      ["whalf", false],
    ] as const) {
      const body = {
        Image: IMAGE,
        Cmd: ["sleep", "1000"],
        Labels: { ...Labels, "io.forebay.worker": worker },
        HostConfig: { NetworkMode: "none" },
      };
      const { json } = await host.ask("POST", `/v1.41/containers/create?name=forebay-${worker}`, body);
      if (isStarted) await host.ask("POST", `/v1.41/containers/${json.Id}/start`);
    }
    expect(await host.containers()).toHaveLength(3);
    await server.startAgain();
    expect((await server.ended(endpoint, job)).status).toBe("COMPLETED");
    await none();
    expect(server.logged("a worker that is on no record is ended").map(({ worker }) => worker)).toContain(
      "wnobody",
    );
  });
});
