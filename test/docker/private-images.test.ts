import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Answer } from "../support/answer.ts";
import { DockerHost } from "../support/docker-host.ts";
import { startDockerServer } from "../support/docker-server.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";
import { shellLayer } from "../support/worker-images.ts";
import { type ImageRegistry, startImageRegistry } from "./image-registry.ts";

const LIMIT = 60_000;
const PASSWORD = "p/+?ss-s3cr3t";

describe("private images, from a registry login over a template to workers", () => {
  let host: DockerHost;
  let server: ServerProcess;
  let registry: ImageRegistry;
  beforeAll(async () => {
    host = await DockerHost.start();
  });
  afterAll(() => host.stop());
  beforeEach(async () => {
    registry = startImageRegistry(await shellLayer(), { login: `user:${PASSWORD}` });
    server = await startDockerServer(host);
  });
  afterEach(async () => {
    await server.stop();
    await registry.stop();
    for (const { Id } of await host.containers()) await host.ask("DELETE", `/v1.41/containers/${Id}?force=1`);
  });

  type Key = { authorization: string };
  const template = (fields: object, key?: Key): Promise<Answer> => {
    const named = { name: crypto.randomUUID(), imageName: `${registry.server}/team/worker:1`, volumeInGb: 0 };
    return server.post("/v1/templates", { ...named, ...fields }, key);
  };

  /** How the first worker of an endpoint on the template ended. */
  async function firstExit(templateId: string, key?: Key): Promise<{ how: string; lastLines: string[] }> {
    const wish = { name: crypto.randomUUID(), templateId, workersMax: 1, workersMin: 1 };
    const { json } = await server.post("/v1/endpoints", wish, key);
    const exit = await until(
      "a worker has ended",
      async () => (await server.get(`/v1/endpoints/${json.id}`, key)).json.fleet.lastExit,
      LIMIT,
    );
    expect((await server.call("DELETE", `/v1/endpoints/${json.id}`, undefined, key)).status).toBe(204);
    return exit;
  }

  test(
    "with the login run, without it and with a wrong one do not, and the reason says so",
    async () => {
      const right = await server.registryLogin("user", PASSWORD);
      const wrong = await server.registryLogin("user", "wr0ng-s3cr3t");
      const failed = [wrong, ""].map(async (containerRegistryAuthId) => {
        const { json } = await template({ containerRegistryAuthId });
        return firstExit(json.id);
      });
      const [refused, absent] = await Promise.all(failed);
      const sentence = `the registry ${registry.server} refuses this image to the registry login`;
      expect(refused?.how).toStartWith(`Docker cannot start the container: ${sentence} of the template (`);
      expect(absent?.how).toStartWith("Docker cannot start the container: ");
      expect(registry.asked()).toBe(0);

      const { json } = await template({ containerRegistryAuthId: right });
      // The image has no worker in it: it says one line and ends.
      expect((await firstExit(json.id)).lastLines).toEqual(["pulled"]);
      // Now the engine has it, and still nobody else gets it.
      expect((await firstExit((await template({})).json.id)).how).toStartWith("Docker cannot start");
      const said = JSON.stringify([server.log, server.printed]);
      for (const secret of ["s3cr3t", btoa(`user:${PASSWORD}`)]) expect(said).not.toContain(secret);
    },
    LIMIT,
  );

  test(
    "of a public template run for another account, which learns nothing of the login",
    async () => {
      const other = await server.key("manage", { account: await server.account() });
      const containerRegistryAuthId = await server.registryLogin("user", PASSWORD);
      const { json } = await template({ containerRegistryAuthId, isPublic: true });
      expect((await firstExit(json.id, other)).lastLines).toEqual(["pulled"]);
      const seen = await server.get(`/v1/templates/${json.id}`, other);
      expect(seen.json.containerRegistryAuthId).toBe("");
      expect(seen.text).not.toContain(containerRegistryAuthId);
      const read = await server.get(`/v1/containerregistryauth/${containerRegistryAuthId}`, other);
      expect(read.json.code).toBe("REGISTRY_LOGIN_NOT_FOUND");
      // Neither can it name the login itself, nor have the image without it.
      expect((await template({ containerRegistryAuthId }, other)).json.code).toBe("INVALID_FIELD");
      const own = (await template({}, other)).json.id;
      expect((await firstExit(own, other)).how).toStartWith("Docker cannot start");
      // Public no longer, nothing starts for them.
      await server.call("PATCH", `/v1/templates/${json.id}`, { isPublic: false });
      const asked = registry.asked();
      const refused = await server.post("/v1/endpoints", { name: "late", templateId: json.id }, other);
      expect(refused.json.code).toBe("TEMPLATE_NOT_FOUND");
      expect(registry.asked()).toBe(asked);
    },
    LIMIT,
  );
});
