import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { TEMPLATE_DEFAULTS } from "../../src/domain/template.ts";
import type { Provider, RegistryLogin, WorkerExit } from "../../src/fleet/provider.ts";
import { DockerHost } from "../support/docker-host.ts";
import { MemoryLog } from "../support/memory-log.ts";
import { until } from "../support/until.ts";
import { shellLayer } from "../support/worker-images.ts";
import { openProvider } from "./contract-on.ts";
import { type ImageRegistry, startImageRegistry } from "./image-registry.ts";

describe("images of a registry", () => {
  let host: DockerHost;
  let registry: ImageRegistry;
  let log: MemoryLog;
  let provider: Provider;
  let exits: WorkerExit[];
  beforeAll(async () => {
    host = await DockerHost.start();
  });
  afterAll(() => host.stop());
  beforeEach(async () => {
    registry = startImageRegistry(await shellLayer(), "user:p/+?ss");
    log = new MemoryLog();
    exits = [];
    provider = openProvider({ socketPath: host.socket, deployment: "d", log });
    provider.onExit((exit) => exits.push(exit));
  });
  afterEach(async () => {
    await until("all have ended", async () => (await provider.list()).length === 0);
    await provider.close();
    await registry.stop();
  });

  const login = (): RegistryLogin => ({ server: registry.server, username: "user", password: "p/+?ss" });
  async function start(imageName: string, given?: RegistryLogin): Promise<void> {
    const whole = { id: "t", name: "t", isPlatform: false, earned: 0, runtimeInMin: 0, volumeInGb: 0 };
    await provider.start({
      worker: `w${crypto.randomUUID()}`,
      endpoint: "e",
      template: { ...TEMPLATE_DEFAULTS, ...whole, imageName },
      environment: {},
      ...(given === undefined ? {} : { login: given }),
    });
  }
  const told = (message: string): object[] =>
    log.entries.filter((entry) => entry.message === message).map(({ fields = {} }) => fields);

  test("are pulled with the login, once for all that wait, and named by their digest", async () => {
    const image = `${registry.server}/team/worker:1`;
    await Promise.all([1, 2, 3].map(() => start(image, login())));
    await until("all have run", () => exits.length === 3);
    expect(exits.map(({ lastLines }) => lastLines)).toEqual([["pulled"], ["pulled"], ["pulled"]]);
    expect(told("an image was pulled")).toEqual([{ image, seconds: expect.any(Number) }]);
    const digest = `${registry.server}/team/worker@${registry.digest}`;
    expect(told("an image is ready")[0]).toEqual({ image, digest });

    // By its digest it is there, and with a login it is asked for again all the same.
    const asked = registry.asked();
    await start(digest);
    expect(registry.asked()).toBe(asked);
    await start(image, login());
    expect(registry.asked()).toBeGreaterThan(asked);
    await until("all have run", () => exits.length === 5);
  });

  test("that are there already are used without a registry", async () => {
    const image = `${registry.server}/team/worker:1`;
    await start(image, login());
    await registry.stop();
    await start(image);
    await until("both have run", () => exits.length === 2);
  });

  test("without the right login are refused with what the registry says", async () => {
    const image = `${registry.server}/team/worker:1`;
    for (const given of [undefined, { ...login(), password: "wrong" }]) {
      await expect(start(image, given)).rejects.toThrow(/^Docker does not start the container: /);
    }
    await expect(start("127.0.0.1:1/nobody/there:1")).rejects.toThrow("127.0.0.1:1");
    expect(await host.containers()).toEqual([]);
  });
});
