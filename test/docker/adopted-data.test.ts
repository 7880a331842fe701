import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { DockerHost } from "../support/docker-host.ts";
import { imageEndpoint, startDockerServer } from "../support/docker-server.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";
import { importTypeScriptImage } from "../support/worker-images.ts";

describe("an adopted copy of a data directory, on the engine of the original", () => {
  let host: DockerHost;
  beforeAll(async () => {
    host = await DockerHost.start();
    await importTypeScriptImage(host, "team/typescript:1");
  });
  afterAll(() => host.stop());

  const copy = (from: string, to: string): void => {
    expect(spawnSync("cp", ["-a", from, to]).status).toBe(0);
  };
  const ids = async (): Promise<string[]> => (await host.containers()).map(({ Id }) => Id);
  const settled = (server: ServerProcess, endpoint: string) =>
    until("its worker is ready", async () => (await server.health(endpoint)).workers.ready === 1, 60_000);

  test("leaves the containers and volumes of the original alone, and starts its own", async () => {
    const server = await startDockerServer(host);
    let adopted: ServerProcess | undefined;
    try {
      const limits = { workersMin: 1, workersMax: 1 };
      const endpoint = await imageEndpoint(server, "team/typescript:1", limits, { volumeInGb: 1 });
      await settled(server, endpoint);
      const before = await ids();
      expect(before).toHaveLength(1);
      const [data, other] = [join(server.directory, "data"), join(server.directory, "other")];
      copy(data, other);
      copy(`${data}.key`, `${other}.key`);

      adopted = await startDockerServer(host, { data: other, "adopt-data": "true" });
      await until("a second container runs", async () => (await host.containers()).length === 2, 60_000);
      await settled(adopted, endpoint);
      // Its container and its volume would go with the endpoint.
      expect((await adopted.call("DELETE", `/v1/endpoints/${endpoint}`)).status).toBe(204);
      await until("its container is gone", async () => (await host.containers()).length === 1, 60_000);
      await adopted.terminate();
      expect(await ids()).toEqual(before);

      const record = await server.ended(endpoint, await server.run(endpoint, { sleep: 1 }));
      expect(record.status).toBe("COMPLETED");
      expect(server.logged("a worker exited")).toEqual([]);
      expect((await server.call("DELETE", `/v1/endpoints/${endpoint}`)).status).toBe(204);
      await until("no container is left", async () => (await host.containers()).length === 0, 60_000);
    } finally {
      await adopted?.stop();
      await server.stop();
    }
  });
});
